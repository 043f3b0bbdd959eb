import { Button, Group, Modal, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { type components, isCustomerId, isProblem, keepsKey, transitionRefused, useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, OutcomeNotice, ProblemBanner, useToasts, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { couponMessages } from './messages';
import { oneCoupon, redeem, voidCoupon, type Coupon, type CouponAction } from './queries';

interface Props {
  coupon: Coupon;
  action: CouponAction;
  onClose: () => void;
}

const longestReason = 500;

/** Redeems or voids a coupon, once; who comes second reads who was first. */
export function CouponDialog({ coupon, action, onClose }: Props) {
  const t = useText(couponMessages);
  const ui = useText(uiMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { code } = coupon;
  const { key, renew } = useIdempotencyKey(`coupons/${code}/${action}`);
  const [userId, setUserId] = useState(coupon.userId ?? '');
  const [orderId, setOrderId] = useState<number | null>(null);
  const [reason, setReason] = useState('');
  const [strict, setStrict] = useState(false);
  const run = useMutation({
    mutationFn: () => (action === 'redeem' ? redeem(code, { userId: userId.trim(), orderId }, key) : voidCoupon(code, reason.trim(), key)),
    onSuccess: ({ data: after }) => {
      renew();
      queries.setQueryData(oneCoupon(code).queryKey, after);
      toasts.done(t(action === 'redeem' ? 'redeemed' : 'voided', { code }));
      onClose();
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
      const refused = transitionRefused<Coupon>(error);
      if (refused !== undefined) queries.setQueryData(oneCoupon(code).queryKey, refused.current);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['coupons'] }),
  });
  const lost = transitionRefused<Coupon>(run.error) !== undefined;
  // What was sent stays as it was: the same key with other contents would be refused.
  const unknown = isProblem(run.error) && run.error.isOutcomeUnknown;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (action === 'void' || isCustomerId(userId.trim())) run.mutate();
  };
  const isRedeeming = action === 'redeem';
  return (
    <Modal opened onClose={onClose} title={t(isRedeeming ? 'redeemTitle' : 'voidTitle', { code })} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {run.error !== null && <Refusal error={run.error} userId={userId} />}
          {!lost && <Text c="dimmed">{t(isRedeeming ? 'redeemHint' : 'voidHint')}</Text>}
          {!lost && isRedeeming && (
            <>
              <TextInput
                label={t('redeemUser')}
                value={userId}
                maxLength={64}
                onChange={(event) => setUserId(event.currentTarget.value)}
                disabled={unknown || coupon.userId !== null}
                error={strict && !isCustomerId(userId.trim()) && t('redeemUserNeeded')}
                data-autofocus
              />
              <WholeNumber label={t('redeemOrder')} value={orderId} onChange={setOrderId} disabled={unknown} />
            </>
          )}
          {!lost && !isRedeeming && (
            <Textarea
              label={t('voidReason')}
              value={reason}
              disabled={unknown}
              maxLength={longestReason}
              autosize
              minRows={2}
              onChange={(event) => setReason(event.currentTarget.value)}
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui(lost ? 'close' : 'cancel')}</Button>
            {!lost && (
              <Button type="submit" variant="filled" color={isRedeeming ? 'accent' : 'bad'} loading={run.isPending}>
                {unknown ? t('askAgain') : t(isRedeeming ? 'redeem' : 'voidIt')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface WholeNumberProps {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
  disabled: boolean;
  error?: string | false;
  autoFocused?: boolean;
}

function WholeNumber({ value, onChange, autoFocused = false, ...input }: WholeNumberProps) {
  return (
    <NumberInput
      {...input}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      value={value ?? ''}
      onChange={(typed) => onChange(typed === '' || Number(typed) === 0 ? null : Number(typed))}
      data-autofocus={autoFocused || undefined}
    />
  );
}

/** Why it was not done: who was first and when, or which limit stands against it. */
function Refusal({ error, userId }: { error: unknown; userId: string }) {
  const t = useText(couponMessages);
  const refused = transitionRefused<Coupon>(error);
  if (refused !== undefined) {
    const { current, changedBy, changedTime } = refused;
    const when = <When time={changedTime} />;
    if (current.status === 'expired') return <Banner tone="warn" title={t('expiredNow')} />;
    if (current.status === 'void') return <Banner tone="warn" title={t.rich('tooLateVoid', { who: changedBy.name, when })} />;
    if (current.redeemedByUserId !== null) {
      return <Banner tone="warn" title={t.rich('tooLateUser', { who: changedBy.name, when, user: current.redeemedByUserId })} />;
    }
    return <Banner tone="warn" title={t.rich('tooLate', { who: changedBy.name, when, status: t(current.status) })} />;
  }
  if (isProblem(error, 'limit_reached')) {
    const { perUser } = error.as<components['schemas']['LimitReached']>();
    if (perUser !== undefined) return <Banner tone="warn" title={t('limit', { user: userId, n: perUser })} />;
  }
  if (isProblem(error) && error.isOutcomeUnknown) return <Banner tone="warn" title={t('checking')} />;
  return <ProblemBanner error={error} />;
}
