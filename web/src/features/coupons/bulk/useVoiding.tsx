import { Textarea } from '@mantine/core';
import { isProblem, transitionRefused } from '@/api';
import { useText } from '@/i18n';
import { inParallel, type BulkAction, type Watched } from '@/ui';
import { CouponStatusChip } from '../CouponStatusChip';
import { couponMessages } from '../messages';
import { readCoupon, voidCoupon, type Coupon } from '../queries';

const atOnce = 4;
const mostCoupons = 1000;
const longestReason = 500;

interface Form {
  reason: string;
}

/** How it is noticed that others change coupons that were chosen. */
export const watchedCoupons: Watched<Coupon> = {
  topic: 'coupons',
  key: ({ code }) => code,
  etag: ({ etag }) => etag,
  read: ({ code }) => couponOf(code),
};

/** Voids many coupons, chosen in the list or named by a list of codes. */
export function useVoiding(): BulkAction<Coupon, Form> {
  const t = useText(couponMessages);
  return {
    id: 'void',
    words: {
      button: t('voidMany'),
      title: (n) => t('voidManyTitle', { n }),
      hint: t('voidHint'),
      confirm: (n) => t('voidManyGo', { n }),
      done: (n) => t('voidedMany', { n }),
    },
    isDangerous: () => true,
    size: 1,
    most: mostCoupons,
    atOnce,
    table: {
      button: t('voidList'),
      names: [t('code'), 'code'],
      find: async (codes, signal) => {
        const found = await inParallel(codes, atOnce, async (code) => [code, await couponOf(code, signal)] as const);
        return new Map(found.flatMap(([code, coupon]) => (coupon === undefined ? [] : [[code, coupon] as const])));
      },
    },
    open: () => ({ reason: '' }),
    inputs: ({ input, change, disabled }) => (
      <Textarea
        label={t('voidReason')}
        maxLength={longestReason}
        autosize
        minRows={2}
        disabled={disabled}
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
    told: (error, [one]) => {
      const refused = transitionRefused<Coupon>(error);
      if (one === undefined || refused === undefined) return undefined;
      return [{ id: one.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: refused.current }];
    },
  };
}

async function couponOf(code: string, signal?: AbortSignal): Promise<Coupon | undefined> {
  try {
    return await readCoupon(code, signal);
  } catch (problem) {
    if (isProblem(problem, 'not_found')) return undefined;
    throw problem;
  }
}
