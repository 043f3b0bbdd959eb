import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useOwner, type Overview } from '@/api';
import { readStored, writeStored } from '@/browser/storage';
import { readConfigs } from '@/features/configs/queries';
import { readSales } from '@/features/flash-sales/queries';
import { readStocks } from '@/features/inventory/queries';
import { readOrders } from '@/features/orders/queries';

/** Events that only this browser records: `started` after the checklist was incomplete once, `hidden` by the user. */
type Mark = 'started' | 'hidden' | 'conflict' | 'cockpit';

/** The marks of the user in this browser. */
export function useMarks(): { has: (mark: Mark) => boolean; add: (mark: Mark) => void } {
  const name = `interlock.firstUse.${useOwner()}`;
  const [marks, setMarks] = useState(() => (readStored(name) ?? '').split(' ').filter(Boolean));
  return {
    has: (mark) => marks.includes(mark),
    add: (mark) => {
      const next = [...new Set([...marks, mark])];
      setMarks(next);
      writeStored(name, next.join(' '));
    },
  };
}

/** The facts that decide which steps of the first use are done; a member is undefined while it loads. */
export function useFirstUse(isEnabled: boolean) {
  const may = useMay();
  const of = (topic: string, isNeeded = true) => ({ queryKey: [topic, 'list', 'first use'], enabled: isEnabled && isNeeded && may(`${topic}:read`) });
  const configs = useQuery({ ...of('configs'), queryFn: ({ signal }) => readConfigs({ limit: 1, sort: '-updatedTime' }, signal) }).data;
  const stocks = useQuery({ ...of('inventory'), queryFn: ({ signal }) => readStocks({ limit: 1, sort: '-available' }, signal) }).data;
  const sales = useQuery({ ...of('flash-sales'), queryFn: ({ signal }) => readSales({ limit: 5, sort: '-id' }, signal) }).data;
  const sale = sales?.items.find(({ status }) => status !== 'draft') ?? sales?.items[0];
  const id = sale?.id ?? 0;
  const orders = useQuery({ ...of('orders', sale !== undefined), queryFn: ({ signal }) => readOrders({ flashSaleId: id, limit: 1 }, signal) }).data;
  return {
    config: configs === undefined ? undefined : (configs.items[0] ?? null),
    hasStock: stocks === undefined ? undefined : (stocks.items[0]?.available ?? 0) > 0 || stocks.items.some(({ reserved }) => reserved > 0),
    sale: sales === undefined ? undefined : (sale ?? null),
    hasSold: sale === undefined ? sales && false : orders && orders.items.length > 0,
  };
}

/** Whether the installation has conflicts of today. */
export const hasConflict = ({ conflictsTodayTotal = 0 }: Overview): boolean => conflictsTodayTotal > 0;
