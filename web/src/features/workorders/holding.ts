import type { Winner } from '@/api';
import type { WorkOrder, WorkOrderAction } from './queries';

/** The steps for the holder, or for users who may assign. They are not offered for a work order of another holder. */
const ofHolder = new Set<WorkOrderAction>(['release', 'resolve']);

/** The steps that this user can take by the service's rules. The service checks again. */
export function stepsOf(order: WorkOrder, me: number, may: (permission: string) => boolean): WorkOrderAction[] {
  const { allowedTransitions, holder, status, offered } = order;
  const isOthers = status === 'claimed' && holder?.id !== me && !offered && !may('work-orders:assign');
  return allowedTransitions.filter((step) => may(step === 'assign' ? 'work-orders:assign' : 'work-orders:write') && !(isOthers && ofHolder.has(step)));
}

/** The user who was first: the current holder, even if another user commented later. */
export function winnerAs({ current, by, time }: Winner<WorkOrder>): Winner<WorkOrder> {
  const { status, holder, heldTime } = current;
  return status === 'claimed' && holder !== null && heldTime !== null ? { current, by: holder, time: heldTime } : { current, by, time };
}

/** Whether a work order is past its due time. */
export const isOverdue = ({ dueTime, status }: Pick<WorkOrder, 'dueTime' | 'status'>, now: number): boolean =>
  dueTime !== null && (status === 'open' || status === 'claimed') && Date.parse(dueTime) < now;
