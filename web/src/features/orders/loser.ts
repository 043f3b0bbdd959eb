import { transitionRefused, versionConflict, type PersonName } from '@/api';
import type { Order } from './queries';

/** Who was first, and what the order is since. */
export interface Winner {
  order: Order;
  by: PersonName;
  time: string;
}

/** Who was first when a step was refused for it; undefined for any other error. */
export function winnerOf(error: unknown): Winner | undefined {
  const refused = transitionRefused<Order>(error);
  if (refused !== undefined) return { order: refused.current, by: refused.changedBy, time: refused.changedTime };
  const conflict = versionConflict<Order>(error);
  return conflict && { order: conflict.current, by: conflict.updatedBy, time: conflict.updatedTime };
}
