import type { Order, OrderAction } from './queries';

/** The order of the steps: a prepaid order is paid before it is shipped, any other after its delivery. */
const steps: Record<Order['paymentTerms'], readonly OrderAction[]> = {
  prepaid: ['pay', 'ship', 'complete', 'cancel'],
  on_delivery: ['ship', 'pay', 'complete', 'cancel'],
  invoice: ['ship', 'pay', 'complete', 'cancel'],
};

/** The possible steps of an order, the next one first. An order with an amount due can be paid in every status. */
export function stepsOf({ paymentTerms, allowedTransitions, due }: Pick<Order, 'paymentTerms' | 'allowedTransitions' | 'due'>): OrderAction[] {
  const allowed = new Set<OrderAction>(allowedTransitions);
  if (due > 0) allowed.add('pay');
  return steps[paymentTerms].filter((step) => allowed.has(step));
}
