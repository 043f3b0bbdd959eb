import { useText } from '@/i18n';
import type { Fault } from './draft';
import { createMessages } from './messages';

/** Returns the message for a fault, which states the valid form. */
export function useFaultText(): (fault: Fault) => string {
  const t = useText(createMessages);
  return (fault) => (fault.kind === 'json' ? t('faultJson', { line: String(fault.line), column: String(fault.column) }) : t(`fault_${fault.kind}`));
}
