import { transitionRefused, versionConflict, type PersonName } from '@/api';
import type { Sale } from './queries';

/** Who was first, and what the sale is since. */
export interface Winner {
  sale: Sale;
  by: PersonName;
  time: string;
  /** The sale is in the status that it was in; its terms are others. */
  onlyTerms: boolean;
}

/** Who was first when a step was refused for it; undefined for any other error. */
export function winnerOf(error: unknown, seen: Sale): Winner | undefined {
  const refused = transitionRefused<Sale>(error);
  if (refused !== undefined) return { sale: refused.current, by: refused.changedBy, time: refused.changedTime, onlyTerms: false };
  const conflict = versionConflict<Sale>(error);
  if (conflict === undefined) return undefined;
  return { sale: conflict.current, by: conflict.updatedBy, time: conflict.updatedTime, onlyTerms: conflict.current.status === seen.status };
}
