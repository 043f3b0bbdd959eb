import { useFormat, useText } from '@/i18n';
import { paymentMessages } from './messages';

/** The reasons with which the service records a payment as unmatched. */
const reasons = [
  [/^there is no such order$/, 'reasonNoOrder'],
  [/^the order was cancelled$/, 'reasonCancelled'],
  [/^the order is paid in full$/, 'reasonPaid'],
  [/^the amount exceeds the (\d+) that are due$/, 'reasonExceeds'],
] as const;

/** Returns a reason of the service in the current language, with its amount as money; a user's reason is unchanged. */
export function useReasonText(): (reason: string) => string {
  const t = useText(paymentMessages);
  const { money } = useFormat();
  return (reason) => {
    for (const [shape, text] of reasons) {
      const [match, due] = shape.exec(reason) ?? [];
      if (match !== undefined) return t(text, { due: due === undefined ? '' : money(Number(due)) });
    }
    return reason;
  };
}
