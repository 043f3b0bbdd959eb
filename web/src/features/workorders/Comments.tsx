import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMay, winnerOf, type Winner } from '@/api';
import { useText } from '@/i18n';
import { Comments as RecordComments } from '@/ui';
import { workOrderMessages } from './messages';
import { comment, oneWorkOrder, workOrderComments, type WorkOrder } from './queries';

interface Props {
  order: WorkOrder;
  /** Called if another user was first. */
  onLost: (winner: Winner<WorkOrder>) => void;
}

/** The comments of a work order. A comment on an open one also claims it. */
export function Comments({ order: { id, status }, onLost }: Props) {
  const t = useText(workOrderMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('work-orders:write');
  const say = {
    resource: `work-orders/${id}`,
    name: t('workOrder', { id: String(id) }),
    topics: ['work-orders', 'overview'],
    hint: status === 'open' ? t('commentHint') : undefined,
    send: (text: string, key: string) => comment(id, text, key),
    onRejected: (error: unknown) => {
      const winner = winnerOf<WorkOrder>(error);
      if (winner === undefined) return;
      queries.setQueryData(oneWorkOrder(id).queryKey, winner.current);
      onLost(winner);
    },
  };
  return <RecordComments query={useInfiniteQuery(workOrderComments(id))} newComment={mayWrite ? say : undefined} />;
}
