import { isProblem } from './problem';
import type { components } from './schema';

export type Approval = components['schemas']['Approval'];

/**
 * The approval that a write was answered with in place of what it asked for; undefined for
 * any other error. Nothing was changed, and nothing is left to be sent: it waits for votes.
 */
export const proposalOf = (error: unknown): Approval | undefined => (isProblem(error, 'proposed') ? error.as<Approval>() : undefined);

/** How many votes are still missing; those for an earlier content do not count. */
export const votesLeft = ({ required, votes }: Pick<Approval, 'required' | 'votes'>): number =>
  Math.max(0, required - votes.filter(({ stands, verdict }) => stands && verdict === 'approve').length);
