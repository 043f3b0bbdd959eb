import type { Winner } from '@/api';
import type { WorkOrder, WorkOrderAction } from './queries';

/** What the holder does, or who may assign; of what somebody else holds nothing of it is offered to others. */
const ofHolder = new Set<WorkOrderAction>(['release', 'resolve']);

/** The steps that the service would let this user take; it decides itself when one is taken. */
export function stepsOf(order: WorkOrder, me: number, may: (permission: string) => boolean): WorkOrderAction[] {
  const { allowedTransitions, holder, status, offered } = order;
  const isOthers = status === 'claimed' && holder?.id !== me && !offered && !may('work-orders:assign');
  return allowedTransitions.filter((step) => may(step === 'assign' ? 'work-orders:assign' : 'work-orders:write') && !(isOthers && ofHolder.has(step)));
}

/** Who was first: of one that somebody holds that is its holder, whoever commented on it last. */
export function winnerAs({ current, by, time }: Winner<WorkOrder>): Winner<WorkOrder> {
  const { status, holder, heldTime } = current;
  return status === 'claimed' && holder !== null && heldTime !== null ? { current, by: holder, time: heldTime } : { current, by, time };
}

/** Whether one should have been resolved by now. */
export const isOverdue = ({ dueTime, status }: Pick<WorkOrder, 'dueTime' | 'status'>, now: number): boolean =>
  dueTime !== null && (status === 'open' || status === 'claimed') && Date.parse(dueTime) < now;
