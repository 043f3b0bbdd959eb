import { useQueryClient } from '@tanstack/react-query';
import { winnerOf, type Winner } from '@/api';
import { useText } from '@/i18n';
import { useKeyedAction, useToasts } from '@/ui';
import { winnerAs } from './holding';
import { workOrderMessages } from './messages';
import { hold, oneWorkOrder, type WorkOrder } from './queries';

/** Claims or releases a work order by a button. If another user was first, it reports the holder. */
export function useHold(id: number, onLost: (winner: Winner<WorkOrder>) => void) {
  const t = useText(workOrderMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  return useKeyedAction<'claim' | 'release', WorkOrder>({
    scope: `work-orders/${id}/hold`,
    title: t('workOrder', { id: String(id) }),
    topics: ['work-orders', 'overview'],
    send: (action, key) => hold(id, action, key),
    onDone: (after, action) => {
      queries.setQueryData(oneWorkOrder(id).queryKey, after);
      toasts.done(t(action === 'claim' ? 'claimDone' : 'released', { id: String(id) }));
    },
    onRejected: (error) => {
      const winner = winnerOf<WorkOrder>(error);
      if (winner === undefined) toasts.failed(error);
      else {
        queries.setQueryData(oneWorkOrder(id).queryKey, winner.current);
        onLost(winnerAs(winner));
      }
    },
  });
}
