import type { Winner } from '@/api';
import type { WorkOrder, WorkOrderAction } from './queries';

/** The steps for the holder, or for users who may assign. They are not offered for a work order of another holder. */
const ofHolder = new Set<WorkOrderAction>(['release', 'resolve']);

/** The steps that the current user can perform by the rules of the service. The service checks them again. */
export function stepsOf(order: WorkOrder, me: number, may: (permission: string) => boolean): WorkOrderAction[] {
  const { allowedTransitions, holder, status, offered } = order;
  const isOthers = status === 'claimed' && holder?.id !== me && !offered && !may('work-orders:assign');
  return allowedTransitions.filter((step) => may(step === 'assign' ? 'work-orders:assign' : 'work-orders:write') && !(isOthers && ofHolder.has(step)));
}

/** Returns the winner of a race for a work order. If it is claimed, the winner is the holder, even if another user commented later. */
export function winnerAs({ current, by, time }: Winner<WorkOrder>): Winner<WorkOrder> {
  const { status, holder, heldTime } = current;
  return status === 'claimed' && holder !== null && heldTime !== null ? { current, by: holder, time: heldTime } : { current, by, time };
}

/** Whether a work order is past its due time. Only open and claimed work orders can be overdue. */
export const isOverdue = ({ dueTime, status }: Pick<WorkOrder, 'dueTime' | 'status'>, now: number): boolean =>
  dueTime !== null && (status === 'open' || status === 'claimed') && Date.parse(dueTime) < now;
