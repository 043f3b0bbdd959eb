import { useQuery } from '@tanstack/react-query';
import { useFormat } from '@/i18n';
import { oneStock } from './queries';
import { StockChip } from './StockChip';

/** One number of the stock of an item. The list of items loads it afterwards, in a separate request per item. */
export function StockCell({ sku, member }: { sku: string; member: 'available' | 'reserved' }) {
  const { number } = useFormat();
  const { data } = useQuery(oneStock(sku));
  if (data === undefined) return null;
  return (
    <>
      {member === 'available' && data.version > 0 && <StockChip available={data.available} />} {number(data[member])}
    </>
  );
}
