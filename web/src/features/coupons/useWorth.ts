import { useFormat, useText } from '@/i18n';
import { couponMessages } from './messages';
import type { Coupon } from './queries';

type Worth = (coupon: Pick<Coupon, 'kind' | 'value'>) => string;

/** Formats the discount of a coupon, for display and for an export. */
export function useDiscountText(): { worth: Worth; plainWorth: Worth } {
  const t = useText(couponMessages);
  const { money, plainMoney } = useFormat();
  return {
    worth: ({ kind, value }) => (kind === 'amount' ? money(value) : t('percent', { value })),
    plainWorth: ({ kind, value }) => (kind === 'amount' ? plainMoney(value) : `${value}%`),
  };
}
