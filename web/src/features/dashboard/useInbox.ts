import { useQuery } from '@tanstack/react-query';
import { useMay, useUser } from '@/api';
import { readPayments } from '@/features/payments/queries';
import { readReturns } from '@/features/returns/queries';
import { readWorkOrders } from '@/features/workorders/queries';

interface Count {
  number: number;
  /** The number is a lower bound. */
  more: boolean;
}

/** The work that the overview does not count: the user's work orders, unmatched payments and requested returns. */
export function useInbox(): Record<'assigned' | 'unmatched' | 'returns', Count | undefined> {
  const may = useMay();
  const me = useUser().id;
  const count = (topic: string, read: (signal: AbortSignal) => Promise<{ total: number; totalIsExact: boolean }>) => ({
    queryKey: [topic, 'list', 'inbox', me],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Count> => {
      const { total, totalIsExact } = await read(signal);
      return { number: total, more: !totalIsExact };
    },
    enabled: may(`${topic}:read`),
  });
  return {
    assigned: useQuery(count('work-orders', (signal) => readWorkOrders({ holderId: me, status: 'claimed', limit: 1 }, signal))).data,
    unmatched: useQuery(count('payments', (signal) => readPayments({ status: 'unmatched', limit: 1 }, signal))).data,
    returns: useQuery(count('returns', (signal) => readReturns({ status: 'requested', limit: 1 }, signal))).data,
  };
}
