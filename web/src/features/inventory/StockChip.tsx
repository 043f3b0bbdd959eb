import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { inventoryMessages } from './messages';

/** From here down there is little left. */
const low = 5;

/** Says when there is little or nothing left to be ordered. */
export function StockChip({ available }: { available: number }) {
  const t = useText(inventoryMessages);
  if (available > low) return null;
  return <StatusChip tone={available === 0 ? 'bad' : 'warn'}>{t(available === 0 ? 'soldOut' : 'low')}</StatusChip>;
}
