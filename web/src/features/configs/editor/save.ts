import type { PersonName } from '@/api';
import { equal, isPatchable, patchOf, threeWay, isObject, type JsonObject } from '@/merge';
import { resolve } from '../conflict/resolve';
import type { Config } from '../queries';
import { contentOfConfig, contentOrError, FormError, formOfContent, type ConfigForm } from './form';
import { metMeanwhile, type EditedConfig } from './queries';

/** A version to save on top of. */
export interface Ground {
  etag: string;
  version: number;
  content: JsonObject;
}

/** Whose changes, from which version on, were kept beside a save. */
export interface KeptTheirs {
  pointers: string[];
  by: PersonName | undefined;
  fromVersion: number;
}

export type Outcome =
  | { kind: 'saved'; record: Config; kept: KeptTheirs | undefined }
  /** Nothing was left to save: theirs says the same. */
  | { kind: 'same'; record: Config }
  /** Places were changed by both: ask. */
  | { kind: 'contested'; record: Config }
  /** A merge patch cannot set a member of an object to null. */
  | { kind: 'unpatchable' };

interface Order {
  ground: Ground;
  mine: JsonObject;
  /** Who saves. */
  me: number;
  /** Goes on by itself from their version while nothing is contested; false where somebody is looking at both sides. */
  mergesAlone: boolean;
  send: (etag: string, patch: JsonObject) => Promise<EditedConfig>;
}

/** How often others may be faster in one save. */
const attempts = 5;

/**
 * Saves under the guard. What others changed elsewhere is kept: by the service where
 * no place is shared, and by going on from their version where lists merge as sets.
 * Throws what the service refuses for other reasons.
 */
export async function saveUnderGuard({ ground, mine, me, mergesAlone, send }: Order): Promise<Outcome> {
  let [from, content] = [ground, mine];
  let latest: Config | undefined;
  let kept: KeptTheirs | undefined;
  for (let left = attempts; ; left--) {
    if (!isPatchable(from.content, content)) return { kind: 'unpatchable' };
    const patch = patchOf(from.content, content);
    if (Object.keys(patch).length === 0 && latest !== undefined) return { kind: 'same', record: latest };
    try {
      const { merged, ...record } = await send(from.etag, patch);
      return { kind: 'saved', record, kept: together(kept, merged) };
    } catch (error) {
      latest = metMeanwhile(error);
      if (latest === undefined || left === 0) throw error;
      const theirs = contentOfConfig(latest);
      // An earlier attempt of one's own, whose answer was lost.
      if (latest.updatedBy.id === me && equal(theirs, content)) return { kind: 'saved', record: latest, kept };
      const { contested, merged, theirsOnly, sets } = resolve(from.content, content, theirs, {});
      if (!mergesAlone || contested.length > 0 || merged === undefined) return { kind: 'contested', record: latest };
      const pointers = [...(kept?.pointers ?? []), ...theirsOnly, ...sets.map(({ pointer }) => pointer)];
      kept = { pointers: [...new Set(pointers)], by: latest.updatedBy, fromVersion: ground.version };
      from = { etag: latest.etag, version: latest.version, content: theirs };
      content = merged;
    }
  }
}

function together(kept: KeptTheirs | undefined, merged: EditedConfig['merged']): KeptTheirs | undefined {
  if (merged === undefined) return kept;
  const pointers = [...new Set([...(kept?.pointers ?? []), ...merged.keptTheirs])];
  return { pointers, by: kept?.by, fromVersion: kept?.fromVersion ?? merged.fromVersion };
}

/**
 * The form after a save, when typing went on while it was under way: what was typed
 * since, on top of what was saved. Undefined when both touched one place, or what is
 * typed cannot be read yet; then the form has to stay as it is.
 */
export function typedSince(sent: ConfigForm, now: ConfigForm, saved: ConfigForm): ConfigForm | undefined {
  const fields = ['valueType', 'value', 'remark', 'schema'] as const;
  // Field by field first: it keeps half a document, and the layout of a whole one.
  if (fields.every((field) => now[field] === sent[field] || saved[field] === sent[field])) {
    const pick = <F extends (typeof fields)[number]>(field: F) => (now[field] === sent[field] ? saved[field] : now[field]);
    return { valueType: pick('valueType'), value: pick('value'), remark: pick('remark'), schema: pick('schema'), choices: '' };
  }
  const [base, yours, theirs] = [sent, now, saved].map(contentOrError);
  if (base === undefined || yours === undefined || theirs === undefined) return undefined;
  if (base instanceof FormError || yours instanceof FormError || theirs instanceof FormError) return undefined;
  const { merged } = threeWay(base, yours, theirs);
  return isObject(merged) ? formOfContent(merged) : undefined;
}
