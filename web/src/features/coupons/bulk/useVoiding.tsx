import { Textarea } from '@mantine/core';
import { orMissing, transitionRejected } from '@/api';
import { useText } from '@/i18n';
import { type BulkAction, type Watched } from '@/ui';
import { CouponStatusChip } from '../CouponStatusChip';
import { couponMessages } from '../messages';
import { readCoupon, voidCoupon, type Coupon } from '../queries';

const atOnce = 4;
const maxCoupons = 1000;
const maxReasonLength = 500;

interface Form {
  reason: string;
}

/** How the list detects that other users changed chosen coupons. */
export const watchedCoupons: Watched<Coupon> = {
  topic: 'coupons',
  key: ({ code }) => code,
  etag: ({ etag }) => etag,
  read: ({ code }) => orMissing(readCoupon(code)),
};

/** Voids many coupons, chosen in the list or entered as a list of codes. */
export function useVoiding(): BulkAction<Coupon, Form> {
  const t = useText(couponMessages);
  return {
    id: 'void',
    labels: {
      button: t('voidMany'),
      title: (n) => t('voidManyTitle', { n }),
      hint: t('voidHint'),
      confirm: (n) => t('voidManyConfirm', { n }),
      done: (n) => t('voidedMany', { n }),
    },
    isDangerous: () => true,
    size: 1,
    maxRows: maxCoupons,
    concurrency: atOnce,
    file: { kind: 'coupons', key: 'code', label: t('code') },
    table: {
      button: t('voidList'),
      find: (code, signal) => orMissing(readCoupon(code, signal)),
    },
    open: () => ({ reason: '' }),
    inputs: ({ input, change }) => (
      <Textarea
        label={t('voidReason')}
        maxLength={maxReasonLength}
        autosize
        minRows={2}
        value={input.reason}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
    ),
    skip: ({ status, allowedTransitions }) => (allowedTransitions.includes('void') ? undefined : t('skippedAs', { status: t(status).toLowerCase() })),
    preview: ({ status }) => <CouponStatusChip status={status} />,
    item: ({ code }) => ({ id: code, label: code }),
    send: async ([one], { reason }, key) => {
      if (one === undefined) return [];
      await voidCoupon(one.id, reason.trim(), key);
      return [{ id: one.id, verdict: 'done' }];
    },
    resultsOnError: (error, [one]) => {
      const rejected = transitionRejected<Coupon>(error);
      if (one === undefined || rejected === undefined) return undefined;
      return [{ id: one.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: rejected.current }];
    },
  };
}
