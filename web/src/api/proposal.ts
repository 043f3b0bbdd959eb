import { isProblem } from './problem';
import type { components } from './schema';

export type Approval = components['schemas']['Approval'];

/**
 * The approval that the service created instead of making the change; undefined for any other
 * error. Nothing was changed, and nothing remains to be sent.
 */
export const proposalOf = (error: unknown): Approval | undefined => (isProblem(error, 'proposed') ? error.as<Approval>() : undefined);

/** The number of missing votes. Votes from before the last edit or rebase of the approval do not count. */
export const votesLeft = ({ required, votes }: Pick<Approval, 'required' | 'votes'>): number =>
  Math.max(0, required - votes.filter(({ stands, verdict }) => stands && verdict === 'approve').length);
