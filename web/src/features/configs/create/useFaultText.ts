import { useText } from '@/i18n';
import type { Fault } from './draft';
import { createMessages } from './messages';

/** Says what is wrong with a text and what would be right. */
export function useFaultText(): (fault: Fault) => string {
  const t = useText(createMessages);
  return (fault) => (fault.kind === 'json' ? t('faultJson', { line: String(fault.line), column: String(fault.column) }) : t(`fault_${fault.kind}`));
}
