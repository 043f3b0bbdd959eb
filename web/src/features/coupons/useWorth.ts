import { useFormat, useText } from '@/i18n';
import { couponMessages } from './messages';
import type { Coupon } from './queries';

/** What a coupon takes off, in words. */
export function useWorth(): (coupon: Pick<Coupon, 'kind' | 'value'>) => string {
  const t = useText(couponMessages);
  const { money } = useFormat();
  return ({ kind, value }) => (kind === 'amount' ? money(value) : t('percent', { value }));
}
