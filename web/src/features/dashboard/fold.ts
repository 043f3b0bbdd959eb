import type { Overview } from '@/api';

export type Change = NonNullable<Overview['recentChanges']>[number];

/** A change, and the number of further records that the same user changed in the same way directly before. */
export interface Fold {
  change: Change;
  others: number;
}

/** Folds runs of at least this length into one entry. */
const least = 3;

/** Folds mass changes, such as an import, so that they do not displace the changes of other users. */
export function foldChanges(changes: readonly Change[]): Fold[] {
  const runs: Change[][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    if (first?.action === change.action && first.actor.id === change.actor.id) run?.push(change);
    else runs.push([change]);
  }
  return runs.flatMap((run) =>
    run.length < least ? run.map((change) => ({ change, others: 0 })) : run.slice(0, 1).map((change) => ({ change, others: run.length - 1 })),
  );
}
