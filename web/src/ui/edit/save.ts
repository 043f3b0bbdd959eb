import { versionConflict, type Approval, type PersonName } from '@/api';
import { editOf, equal, isObject, resolve, threeWay, type Edit, type JsonObject } from '@/merge';
import type { Versioned } from './useDraft';

/** A record with the author and time of its last change. */
export interface Stamped extends Versioned {
  updatedBy: PersonName;
  updatedTime: string;
}

/** The response to a save: the record, and the changes by others that the service merged. */
export type Edited<R> = R & { merged?: { fromVersion: number; keptTheirs: string[] } };

/** Converts a record to a form, and a form to the content that is saved. */
export interface Editable<R, F> {
  /** The form of a record. Plain data with one member per input. */
  read: (record: R) => F;
  /** The content of a form; an error while it is invalid. */
  contentOf: (form: F) => JsonObject | Error;
  /** Converts a content to a form, the reverse of contentOf. */
  formOf: (content: JsonObject) => F;
}

/** The version that a save is based on. */
export interface SaveBase extends Versioned {
  content: JsonObject;
}

/** The changes by others that a save preserved, their author, and the version before them. */
interface PreservedChanges {
  pointers: string[];
  by: PersonName | undefined;
  fromVersion: number;
}

export type Saved<R> =
  | { kind: 'saved'; record: R; preserved: PreservedChanges | undefined }
  /** Nothing is left to save: the latest version has the same content. */
  | { kind: 'same'; record: R }
  /** Nothing was saved: the change waits for votes. */
  | { kind: 'proposed'; approval: Approval }
  /** Both sides changed a field: the user decides. */
  | { kind: 'contested'; record: R };

interface SaveOptions<R extends Stamped> {
  base: SaveBase;
  mine: JsonObject;
  /** The id of the current user. */
  me: number;
  /** Rebases automatically while no field is contested; false if the conflict view is open. */
  mergesAutomatically: boolean;
  contentOf: (record: R) => JsonObject;
  send: (edit: Edit, on: Versioned) => Promise<Edited<R>>;
  /** Called before a rebased edit is sent, with the new base and the merged content. */
  onRebase: (record: R, merged: JsonObject) => void;
}

/** The maximum number of conflicts after which one save is sent again. */
const attempts = 5;

/**
 * Saves with If-Match. It preserves changes by others to other fields: the service merges them if
 * the request allows it; otherwise the client rebases the edit and sends it again. Throws every
 * other rejection.
 */
export async function saveUnderGuard<R extends Stamped>({ base, mine, me, mergesAutomatically, contentOf, send, onRebase }: SaveOptions<R>): Promise<Saved<R>> {
  let [from, content] = [base, mine];
  let latest: R | undefined;
  let preserved: PreservedChanges | undefined;
  for (let left = attempts; ; left--) {
    if (latest !== undefined && equal(from.content, content)) return { kind: 'same', record: latest };
    try {
      const { merged, ...record } = await send(editOf(from.content, content), from);
      return { kind: 'saved', record: record as unknown as R, preserved: combine(preserved, merged) };
    } catch (error) {
      latest = versionConflict<R>(error)?.current;
      if (latest === undefined || left === 0) throw error;
      const theirs = contentOf(latest);
      // The latest version is the result of an earlier attempt of this user, with a lost response.
      if (latest.updatedBy.id === me && equal(theirs, content)) return { kind: 'saved', record: latest, preserved };
      const { contested, merged, theirsOnly, sets } = resolve(from.content, content, theirs, {});
      if (!mergesAutomatically || contested.length > 0 || merged === undefined) return { kind: 'contested', record: latest };
      const pointers = [...(preserved?.pointers ?? []), ...theirsOnly, ...sets.map(({ pointer }) => pointer)];
      preserved = { pointers: [...new Set(pointers)], by: latest.updatedBy, fromVersion: base.version };
      from = { etag: latest.etag, version: latest.version, content: theirs };
      content = merged;
      onRebase(latest, merged);
    }
  }
}

function combine(preserved: PreservedChanges | undefined, merged: { fromVersion: number; keptTheirs: string[] } | undefined): PreservedChanges | undefined {
  if (merged === undefined) return preserved;
  const pointers = [...new Set([...(preserved?.pointers ?? []), ...merged.keptTheirs])];
  return { pointers, by: preserved?.by, fromVersion: preserved?.fromVersion ?? merged.fromVersion };
}

/**
 * Returns the form after a save during which the user continued to type: the later input, applied
 * to the saved form. Returns undefined if both changed the same field or the input is invalid; the
 * form then stays unchanged.
 */
export function applyLaterInput<F extends object>(
  { contentOf, formOf }: Pick<Editable<never, F>, 'contentOf' | 'formOf'>,
  sent: F,
  now: F,
  saved: F,
): F | undefined {
  const fields = Object.keys(saved) as (keyof F)[];
  // First compare field by field. This preserves an incomplete document and the layout of a complete one.
  if (fields.every((field) => now[field] === sent[field] || saved[field] === sent[field])) {
    return Object.fromEntries(fields.map((field) => [field, now[field] === sent[field] ? saved[field] : now[field]])) as unknown as F;
  }
  const [base, yours, theirs] = [sent, now, saved].map(contentOf);
  if (base === undefined || yours === undefined || theirs === undefined) return undefined;
  if (base instanceof Error || yours instanceof Error || theirs instanceof Error) return undefined;
  const { merged } = threeWay(base, yours, theirs);
  return isObject(merged) ? formOf(merged) : undefined;
}
