import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { ActButton, useKeyedAction, useToasts, stepKeys } from '@/ui';
import { workOrderMessages } from './messages';
import { claimNext, oneWorkOrder, type WorkOrder } from './queries';

/** A button that claims the next work order of the queue and opens it. */
export function TakeNext() {
  const t = useText(workOrderMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const action = useKeyedAction<object, WorkOrder>({
    scope: 'work-orders/claim-next',
    title: t('next'),
    topics: ['work-orders', 'overview'],
    send: (_, key) => claimNext(key),
    onDone: (taken) => {
      const { id, title } = taken;
      queries.setQueryData(oneWorkOrder(id).queryKey, taken);
      toasts.done(t('took', { id: String(id), title }));
      void navigate({ to: '/work-orders/$id', params: { id: String(id) } });
    },
    onRejected: (error) => (isProblem(error, 'not_found') ? toasts.info(t('noneWaits')) : toasts.failed(error)),
  });
  return (
    <ActButton
      hotkey={stepKeys.claim}
      variant="filled"
      loading={action.outcome === 'sending'}
      disabled={action.outcome === 'unknown'}
      onClick={() => action.run({})}
    >
      {t('next')}
    </ActButton>
  );
}
