import { useText } from '@/i18n';
import { paymentMessages } from './messages';
import type { Payment } from './queries';

/** Returns the reason why a payment is unmatched in the current language; a user's reason is unchanged. */
export function useReasonText(): (payment: Pick<Payment, 'reason' | 'reasonCode'>) => string | null {
  const t = useText(paymentMessages);
  return ({ reason, reasonCode }) => (reasonCode === null ? reason : t(`reason_${reasonCode}`));
}
