import { Text } from '@mantine/core';
import { isCustomerId, isProblem, transitionRefused } from '@/api';
import { voidCoupon, type Coupon } from '@/features/coupons/queries';
import { useText } from '@/i18n';
import { useNow, type BulkAction, type Item, type Result } from '@/ui';
import { campaignMessages } from './messages';
import { issueCoupons, type Campaign, type LimitReached } from './queries';
import { stateOf } from './state';

/** Customers of one request: few enough that progress shows, and that one who may have no more stops few others. */
const size = 100;

/** Why one customer is refused, which is not that the campaign has none left. */
const hasAll = 'has_all';

export interface Customer {
  userId: string;
}

/** Issues one coupon to each customer of a list, which only that customer can redeem; it is taken back by voiding it. */
export function useIssuing(campaign: Campaign): BulkAction<Customer> {
  const t = useText(campaignMessages);
  const { id, name, total, issued } = campaign;
  const isOver = stateOf(campaign, useNow()) === 'over';
  const left = Math.max(0, total - issued);
  return {
    id: 'issue',
    words: {
      title: (n) => t('issueManyTitle', { n, name }),
      hint: t('issueManyHint', { left, total }),
      confirm: (n) => t('issueManyGo', { n }),
      done: (n) => t('issuedNow', { n }),
      beyond: t('beyondLeft', { n: left }),
    },
    size,
    most: left,
    table: {
      button: t('issueMany'),
      names: [t('user'), 'userId', 'customer'],
      find: (userId) => Promise.resolve({ userId }),
    },
    open: () => ({}),
    skip: ({ userId }) => (isOver ? t('overAlready') : isCustomerId(userId) ? undefined : t('noCustomer')),
    item: ({ userId }) => ({ id: userId, label: userId }),
    send: (rows, _, key) => (rows[0]?.own === undefined ? issueTo(id, rows, key) : withdraw(rows, t('undoReason'), key)),
    // Of a coupon that was redeemed meanwhile nothing is taken back.
    told: (error, rows) =>
      transitionRefused<Coupon>(error) && rows.map(({ id: user }) => ({ id: user, verdict: 'changed', said: { code: error.code, text: error.message } })),
    describe: ({ verdict, said, made }) => {
      if (verdict === 'refused' && said?.code === hasAll) return t('hasAll');
      return made !== undefined && <Text span className="mono" children={made} />;
    },
    undo: {
      item: ({ item, made }) => (made === undefined ? undefined : { ...item, own: made }),
      done: (n) => t('withdrawn', { n }),
    },
  };
}

/**
 * Issues to all but those who may have no more, whom the service names when it refuses
 * the whole: the others are asked for again, under a key that follows from the first, so
 * that all of it can be asked for again.
 */
async function issueTo(campaign: number, rows: readonly Item[], key: string): Promise<Result<Customer>[]> {
  const refused: Result<Customer>[] = [];
  let rest = rows;
  for (let round = 0; rest.length > 0; round++) {
    try {
      const { codes } = await issueCoupons(campaign, { userIds: rest.map(({ id }) => id) }, round === 0 ? key : `${key}-without-${round}`);
      return [...refused, ...rest.map(({ id }, i): Result<Customer> => ({ id, verdict: 'done', made: codes[i] }))];
    } catch (error) {
      if (!isProblem(error, 'limit_reached')) throw error;
      const full = new Set(error.as<LimitReached>().userIds);
      const others = rest.filter(({ id }) => !full.has(id));
      if (others.length === rest.length) throw error;
      refused.push(...[...full].map((id): Result<Customer> => ({ id, verdict: 'refused', said: { code: hasAll, text: error.message } })));
      rest = others;
    }
  }
  return refused;
}

/** Takes a coupon back that was issued: it can never be redeemed. One that was redeemed meanwhile stays so. */
async function withdraw([row]: readonly Item[], reason: string, key: string): Promise<Result<Customer>[]> {
  if (row?.own === undefined) return [];
  await voidCoupon(row.own, reason, key);
  return [{ id: row.id, verdict: 'done', made: row.own }];
}
