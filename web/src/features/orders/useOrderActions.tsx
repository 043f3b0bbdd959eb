import type { ApiProblem } from '@/api';
import { useText } from '@/i18n';
import { Money, type BulkAction, type Item, type Result, type Watched } from '@/ui';
import { orderMessages } from './messages';
import { emptyStep, readOrder, takeBatch, type Order, type OrderAction, type OrderVerdict, type StepInput } from './queries';
import { missingOf, StepFields, useStepFaults } from './StepFields';

const actions: readonly OrderAction[] = ['pay', 'ship', 'complete', 'cancel'];

/** The number of orders per request. It is small, so that the progress is visible and the run can be stopped soon. */
const size = 100;

/** How the list detects that other users changed chosen orders. */
export const watchedOrders: Watched<Order> = {
  topic: 'orders',
  key: ({ id }) => String(id),
  etag: ({ etag }) => etag,
  read: ({ id }) => readOrder(id),
};

/** The bulk actions for orders. A pasted or uploaded table can contain a payment reference or tracking number per order. */
export function useOrderActions(): readonly BulkAction<Order, StepInput>[] {
  const t = useText(orderMessages);
  return actions.map((action): BulkAction<Order, StepInput> => ({
    id: action,
    labels: {
      button: t(action),
      title: (n) => t(`${action}Title`, { what: t('orders', { n }) }),
      hint: t(`${action}Hint`),
      confirm: (n) => t('start', { action: t(action), n }),
    },
    isDangerous: () => action === 'cancel',
    size,
    open: () => emptyStep,
    isComplete: (step, hasRowValues) => hasRowValues || missingOf(action, step).size === 0,
    inputs: ({ input, change, strict, hasRowValues }) => <Inputs action={action} step={input} change={change} strict={strict} hasRowValues={hasRowValues} />,
    columns: {
      pay: () => [{ name: 'reference', label: t('reference'), isNeeded: true }],
      ship: ({ carrier }: StepInput) => [
        { name: 'trackingNo', label: t('trackingNo'), isNeeded: true },
        { name: 'carrier', label: t('carrier'), isNeeded: carrier.trim() === '' },
      ],
      complete: undefined,
      cancel: undefined,
    }[action],
    skip: ({ status, allowedTransitions }) => (allowedTransitions.includes(action) ? undefined : t('skippedAs', { status: t(status).toLowerCase() })),
    preview: ({ amount }) => <Money minor={amount} />,
    item: ({ id, orderNo }) => ({ id: String(id), label: orderNo }),
    send: async (items, step, key) => {
      const own = JSON.parse(items[0]?.values ?? '{}') as Partial<StepInput>;
      const ids = items.map(({ id }) => Number(id));
      return (await takeBatch(action, ids, { ...emptyStep, ...step, ...own }, key)).map(verdictOf);
    },
    resultsOnError,
  }));
}

interface InputsProps {
  action: OrderAction;
  step: StepInput;
  change: (part: Partial<StepInput>) => void;
  strict: boolean;
  hasRowValues: boolean;
}

function Inputs({ action, step, change, strict, hasRowValues }: InputsProps) {
  const { errorOf } = useStepFaults(action, step, { strict: strict && !hasRowValues, error: null });
  return (
    <StepFields action={action} step={step} onChange={change} errorOf={errorOf} without={hasRowValues ? ['trackingNo', 'reference'] : []} disabled={false} />
  );
}

const verdictOf = ({ id, verdict, code, detail }: OrderVerdict): Result<Order> => ({
  id: String(id),
  verdict: verdict === 'done' ? 'done' : 'rejected',
  said: detail === undefined ? undefined : { code, text: detail },
});

/** Returns the verdicts of an interrupted batch. An unknown outcome only concerns the first order without a verdict. */
function resultsOnError(error: ApiProblem, items: readonly Item[]): Result<Order>[] | undefined {
  const verdicts = error.as<{ items?: OrderVerdict[] }>().items;
  if (verdicts === undefined) return undefined;
  const results = verdicts.map(verdictOf);
  const rest = items.slice(results.length).map(({ id }, i): Result<Order> => ({ id, verdict: error.isOutcomeUnknown && i === 0 ? 'unknown' : 'notSent' }));
  return [...results, ...rest];
}
