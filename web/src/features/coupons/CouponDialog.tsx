import { Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isCustomerId, isProblem, transitionRejected, type components } from '@/api';
import { useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useToasts, When } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { couponMessages } from './messages';
import { oneCoupon, redeem, voidCoupon, type Coupon, type CouponAction } from './queries';

interface Props {
  coupon: Coupon;
  action: CouponAction;
  onClose: () => void;
}

interface Form {
  userId: string;
  orderId: number | null;
  reason: string;
}

const maxReasonLength = 500;

/** Redeems or voids a coupon, at most once. If another user was first, the dialog names them. */
export function CouponDialog({ coupon, action, onClose }: Props) {
  const t = useText(couponMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { code } = coupon;
  const isRedeeming = action === 'redeem';
  const title = t(isRedeeming ? 'redeemTitle' : 'voidTitle', { code });
  const isComplete = ({ userId }: Form) => !isRedeeming || isCustomerId(userId.trim());
  const keyed = useKeyedForm<Form, Coupon>({
    scope: `coupons/${code}/${action}`,
    title,
    topics: ['coupons'],
    open: () => ({ userId: coupon.userId ?? '', orderId: null, reason: '' }),
    isComplete,
    send: ({ userId, orderId, reason }, key) => (isRedeeming ? redeem(code, { userId: userId.trim(), orderId }, key) : voidCoupon(code, reason.trim(), key)),
    onDone: (after) => {
      queries.setQueryData(oneCoupon(code).queryKey, after);
      toasts.done(t(isRedeeming ? 'redeemed' : 'voided', { code }));
      onClose();
    },
    onRejected: (error) => {
      const rejected = transitionRejected<Coupon>(error);
      if (rejected !== undefined) queries.setQueryData(oneCoupon(code).queryKey, rejected.current);
    },
  });
  const { form, change, isFixed, error } = keyed;
  const { errorOf, hasInput } = useFaults(keyed, ['userId', 'orderId', 'reason'], (name) => name === 'userId' && !isComplete(form) && t('redeemUserNeeded'));
  const lost = transitionRejected<Coupon>(error) !== undefined;
  const rejection = useRejection(form.userId);
  const close = () => {
    // After a lost race the draft cannot be sent, so it is deleted.
    if (lost) keyed.discard();
    onClose();
  };
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(isRedeeming ? 'redeem' : 'voidIt')}
      color={isRedeeming ? 'accent' : 'bad'}
      hasInput={hasInput}
      renderRejection={rejection}
      finished={lost}
      onClose={close}
    >
      {!lost && <Text c="dimmed">{t(isRedeeming ? 'redeemHint' : 'voidHint')}</Text>}
      {!lost && isRedeeming && (
        <>
          <TextInput
            label={t('redeemUser')}
            maxLength={64}
            value={form.userId}
            disabled={isFixed || coupon.userId !== null}
            error={errorOf('userId')}
            onChange={(event) => change({ userId: event.currentTarget.value })}
            data-autofocus
          />
          <WholeInput label={t('redeemOrder')} value={form.orderId} disabled={isFixed} error={errorOf('orderId')} onChange={(orderId) => change({ orderId })} />
        </>
      )}
      {!lost && !isRedeeming && (
        <Textarea
          label={t('voidReason')}
          value={form.reason}
          disabled={isFixed}
          error={errorOf('reason')}
          maxLength={maxReasonLength}
          autosize
          minRows={2}
          onChange={(event) => change({ reason: event.currentTarget.value })}
          data-autofocus
        />
      )}
    </FormDialog>
  );
}

/** Explains why the step failed: the winner and the time, or the limit. */
function useRejection(userId: string): (error: Error) => ReactNode {
  const t = useText(couponMessages);
  return (error) => {
    const rejected = transitionRejected<Coupon>(error);
    if (rejected !== undefined) {
      const { current, changedBy, changedTime } = rejected;
      const by = { who: changedBy.name, when: <When time={changedTime} /> };
      if (current.status === 'expired') return <Banner tone="warn" title={t('expiredNow')} />;
      if (current.status === 'void') return <Banner tone="warn" title={t.rich('tooLateVoid', by)} />;
      if (current.redeemedByUserId !== null) return <Banner tone="warn" title={t.rich('tooLateUser', { ...by, user: current.redeemedByUserId })} />;
      return <Banner tone="warn" title={t.rich('tooLate', { ...by, status: t(current.status) })} />;
    }
    const limit = isProblem(error, 'limit_reached') ? error.as<components['schemas']['LimitReached']>().perUser : undefined;
    return limit === undefined ? undefined : <Banner tone="warn" title={t('limit', { user: userId, n: limit })} />;
  };
}
