import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { inventoryMessages } from './messages';

/** At or below this quantity the stock counts as low. */
const low = 5;

/** Marks an item that is low or out of stock. */
export function StockChip({ available }: { available: number }) {
  const t = useText(inventoryMessages);
  if (available > low) return null;
  return <StatusChip tone={available === 0 ? 'bad' : 'warn'}>{t(available === 0 ? 'soldOut' : 'low')}</StatusChip>;
}
