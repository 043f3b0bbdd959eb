import { Text } from '@mantine/core';
import { isCustomerId, isProblem, transitionRejected } from '@/api';
import { voidCoupon, type Coupon } from '@/features/coupons/queries';
import { useText } from '@/i18n';
import { useNow, type BulkAction, type Item, type Result } from '@/ui';
import { campaignMessages } from './messages';
import { issueCoupons, type Campaign, type LimitReached } from './queries';
import { stateOf } from './state';

/** The number of customers per request. It is small, so that the progress is visible and a customer at the limit delays few others. */
const size = 100;

/** The code for a customer who has reached the limit, as opposed to an exhausted campaign. */
const hasAll = 'has_all';

export interface Customer {
  userId: string;
}

/** Issues one coupon to each customer of a list. Only that customer can redeem it; undo voids it. */
export function useIssuing(campaign: Campaign): BulkAction<Customer> {
  const t = useText(campaignMessages);
  const { id, name, total, issued } = campaign;
  const isOver = stateOf(campaign, useNow()) === 'over';
  const left = Math.max(0, total - issued);
  return {
    id: 'issue',
    labels: {
      title: (n) => t('issueManyTitle', { n, name }),
      hint: t('issueManyHint', { left, total }),
      confirm: (n) => t('issueManyConfirm', { n }),
      done: (n) => t('issuedNow', { n }),
      beyond: t('beyondLeft', { n: left }),
    },
    size,
    maxRows: left,
    file: { kind: 'customers', key: 'userId', label: t('user') },
    table: {
      button: t('issueMany'),
      find: (userId) => Promise.resolve({ userId }),
    },
    open: () => ({}),
    skip: ({ userId }) => (isOver ? t('hasEnded') : isCustomerId(userId) ? undefined : t('noCustomer')),
    item: ({ userId }) => ({ id: userId, label: userId }),
    send: (rows, _, key) => (rows[0]?.values === undefined ? issueTo(id, rows, key) : withdraw(rows, t('undoReason'), key)),
    // A coupon that was redeemed in the meantime stays redeemed.
    resultsOnError: (error, rows) =>
      transitionRejected<Coupon>(error) && rows.map(({ id: user }) => ({ id: user, verdict: 'changed', said: { code: error.code, text: error.message } })),
    describe: ({ verdict, said, made }) => {
      if (verdict === 'rejected' && said?.code === hasAll) return t('hasAll');
      return made !== undefined && <Text span className="mono" children={made} />;
    },
    undo: {
      item: ({ item, made }) => (made === undefined ? undefined : { ...item, values: made }),
      done: (n) => t('withdrawn', { n }),
    },
  };
}

/**
 * Issues coupons to all customers except those at the limit. The service rejects the complete
 * request and names these customers; the others are requested again under a key that is derived
 * from the first key, so that a retry repeats the same sequence of requests.
 */
async function issueTo(campaign: number, rows: readonly Item[], key: string): Promise<Result<Customer>[]> {
  const rejected: Result<Customer>[] = [];
  let rest = rows;
  for (let round = 0; rest.length > 0; round++) {
    try {
      const { codes } = await issueCoupons(campaign, { userIds: rest.map(({ id }) => id) }, round === 0 ? key : `${key}-without-${round}`);
      return [...rejected, ...rest.map(({ id }, i): Result<Customer> => ({ id, verdict: 'done', made: codes[i] }))];
    } catch (error) {
      if (!isProblem(error, 'limit_reached')) throw error;
      const full = new Set(error.as<LimitReached>().userIds);
      const others = rest.filter(({ id }) => !full.has(id));
      if (others.length === rest.length) throw error;
      rejected.push(...[...full].map((id): Result<Customer> => ({ id, verdict: 'rejected', said: { code: hasAll, text: error.message } })));
      rest = others;
    }
  }
  return rejected;
}

/** Voids an issued coupon. A coupon that was already redeemed stays redeemed. */
async function withdraw([row]: readonly Item[], reason: string, key: string): Promise<Result<Customer>[]> {
  if (row?.values === undefined) return [];
  await voidCoupon(row.values, reason, key);
  return [{ id: row.id, verdict: 'done', made: row.values }];
}
