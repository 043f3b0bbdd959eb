import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { itemMessages } from './messages';
import type { ItemStatus } from './queries';

/** Shows whether an item can be ordered. */
export function ItemStatusChip({ status }: { status: ItemStatus }) {
  const t = useText(itemMessages);
  return <StatusChip tone={status === 'active' ? 'ok' : 'neutral'}>{t(status)}</StatusChip>;
}
