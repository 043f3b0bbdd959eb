import { versionConflict, type Approval, type PersonName } from '@/api';
import { equal, isObject, isPatchable, operationsOf, patchOf, resolve, threeWay, type JsonObject } from '@/merge';
import type { Versioned } from './useDraft';

/** A record that says who changed it last. */
export interface Stamped extends Versioned {
  updatedBy: PersonName;
  updatedTime: string;
}

/** What a save is answered with: the record, and what of others' was kept beside it. */
export type Edited<R> = R & { merged?: { fromVersion: number; keptTheirs: string[] } };

/** How one kind of record is edited. */
export interface Editable<R, F> {
  /** What of a record is edited, as it is typed. Plain data, one member an input. */
  read: (record: R) => F;
  /** What the typed stands for; an error while it cannot be read. */
  contentOf: (form: F) => JsonObject | Error;
  /** The reverse of contentOf. */
  formOf: (content: JsonObject) => F;
}

/** A version to save on top of. */
export interface Ground extends Versioned {
  content: JsonObject;
}

/** Whose changes, from which version on, were kept beside a save. */
interface KeptTheirs {
  pointers: string[];
  by: PersonName | undefined;
  fromVersion: number;
}

export type Saved<R> =
  | { kind: 'saved'; record: R; kept: KeptTheirs | undefined }
  /** Nothing was left to save: theirs says the same. */
  | { kind: 'same'; record: R }
  /** Nothing was saved: what was to be saved waits for the votes of others. */
  | { kind: 'proposed'; approval: Approval }
  /** Places were changed by both: ask. */
  | { kind: 'contested'; record: R }
  /** The edit sets a member of an object to null, and the route takes no JSON Patch. */
  | { kind: 'unpatchable' };

interface Order<R extends Stamped> {
  ground: Ground;
  mine: JsonObject;
  /** Who saves. */
  me: number;
  /** Goes on by itself from their version while nothing is contested; false where somebody is looking at both sides. */
  mergesAlone: boolean;
  /** The content of a record. */
  contentOf: (record: R) => JsonObject;
  send: (patch: JsonObject, on: Versioned) => Promise<Edited<R>>;
  /** Sends a JSON Patch, for an edit that a merge patch cannot express; undefined where no member of an object can be null. */
  sendOperations?: ((operations: JsonObject[], on: Versioned) => Promise<Edited<R>>) | undefined;
  /** From here on it stands on their version, with what was merged into it. Comes before that is sent. */
  onRebase: (record: R, merged: JsonObject) => void;
}

/** How often others may be faster in one save. */
const attempts = 5;

/**
 * Saves under the guard. What others changed elsewhere is kept: by the service where
 * no place is shared and it was asked to, and by going on from their version otherwise.
 * Throws what the service refuses for other reasons.
 */
export async function saveUnderGuard<R extends Stamped>({
  ground,
  mine,
  me,
  mergesAlone,
  contentOf,
  send,
  sendOperations,
  onRebase,
}: Order<R>): Promise<Saved<R>> {
  let [from, content] = [ground, mine];
  let latest: R | undefined;
  let kept: KeptTheirs | undefined;
  for (let left = attempts; ; left--) {
    const operations = isPatchable(from.content, content) ? undefined : operationsOf(from.content, content);
    if (operations !== undefined && sendOperations === undefined) return { kind: 'unpatchable' };
    const patch = patchOf(from.content, content);
    if (Object.keys(patch).length === 0 && latest !== undefined) return { kind: 'same', record: latest };
    try {
      const { merged, ...record } = await (operations === undefined || sendOperations === undefined ? send(patch, from) : sendOperations(operations, from));
      return { kind: 'saved', record: record as unknown as R, kept: together(kept, merged) };
    } catch (error) {
      latest = versionConflict<R>(error)?.current;
      if (latest === undefined || left === 0) throw error;
      const theirs = contentOf(latest);
      // An earlier attempt of one's own, whose answer was lost.
      if (latest.updatedBy.id === me && equal(theirs, content)) return { kind: 'saved', record: latest, kept };
      const { contested, merged, theirsOnly, sets } = resolve(from.content, content, theirs, {});
      if (!mergesAlone || contested.length > 0 || merged === undefined) return { kind: 'contested', record: latest };
      const pointers = [...(kept?.pointers ?? []), ...theirsOnly, ...sets.map(({ pointer }) => pointer)];
      kept = { pointers: [...new Set(pointers)], by: latest.updatedBy, fromVersion: ground.version };
      from = { etag: latest.etag, version: latest.version, content: theirs };
      content = merged;
      onRebase(latest, merged);
    }
  }
}

function together(kept: KeptTheirs | undefined, merged: { fromVersion: number; keptTheirs: string[] } | undefined): KeptTheirs | undefined {
  if (merged === undefined) return kept;
  const pointers = [...new Set([...(kept?.pointers ?? []), ...merged.keptTheirs])];
  return { pointers, by: kept?.by, fromVersion: kept?.fromVersion ?? merged.fromVersion };
}

/**
 * The form after a save, when typing went on while it was under way: what was typed
 * since, on top of what was saved. Undefined when both touched one place, or what is
 * typed cannot be read yet; then the form has to stay as it is.
 */
export function typedSince<F extends object>(
  { contentOf, formOf }: Pick<Editable<never, F>, 'contentOf' | 'formOf'>,
  sent: F,
  now: F,
  saved: F,
): F | undefined {
  const fields = Object.keys(saved) as (keyof F)[];
  // Field by field first: it keeps half a document, and the layout of a whole one.
  if (fields.every((field) => now[field] === sent[field] || saved[field] === sent[field])) {
    return Object.fromEntries(fields.map((field) => [field, now[field] === sent[field] ? saved[field] : now[field]])) as unknown as F;
  }
  const [base, yours, theirs] = [sent, now, saved].map(contentOf);
  if (base === undefined || yours === undefined || theirs === undefined) return undefined;
  if (base instanceof Error || yours instanceof Error || theirs instanceof Error) return undefined;
  const { merged } = threeWay(base, yours, theirs);
  return isObject(merged) ? formOf(merged) : undefined;
}
