import { diff, type Change } from '@/merge';
import { contentOf, contentOfConfig, formOf } from '../editor/form';
import type { ConfigRevision } from '../queries';

/** A version with its changes. They are undefined for the first version, and while the previous version is not loaded. */
export interface Step {
  revision: ConfigRevision;
  changes: readonly Change[] | undefined;
}

/**
 * The versions of a key, newest first, split into its lives: a config that was deleted and created
 * again starts at version 1. Only versions of one life can be compared by number or rolled back to.
 */
export function livesOf(revisions: readonly ConfigRevision[]): Step[][] {
  const lives: Step[][] = [];
  let life: Step[] = [];
  revisions.forEach((revision, i) => {
    const before = revisions[i + 1];
    const compared = revision.action === 'create' || revision.action === 'delete' || before === undefined;
    life.push({ revision, changes: compared ? undefined : changesBetween(before, revision) });
    if (revision.action !== 'create') return;
    lives.push(life);
    life = [];
  });
  if (life.length > 0) lives.push(life);
  return lives;
}

/** The changes between two versions. If the values are masked and nothing else differs, the masked value must have changed. */
function changesBetween(before: ConfigRevision, after: ConfigRevision): readonly Change[] {
  const changes = diff(contentOfConfig(before), contentOfConfig(after));
  return changes.length === 0 && after.masked === true ? diff(contentOf(formOf(before)), contentOf(formOf(after))) : changes;
}
