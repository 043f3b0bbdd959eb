import type { FieldProblem } from '@/api';
import { equal, exact, isPatchable, patchOf, type Json, type JsonObject } from '@/merge';
import type { Item, Result } from '@/ui';
import { readValue } from '../create/draft';
import { contentOfConfig } from '../editor/form';
import type { BatchMember, Config, ValueType } from '../queries';

/** The maximum number of changes in one batch. */
export const maxChanges = 500;

/** The form of a batch, which applies to every chosen config. */
export interface BatchForm {
  kind: 'value' | 'remark' | 'delete';
  type: ValueType;
  /** The value as text: a string unchanged, everything else as JSON. */
  text: string;
  remark: string;
  note: string;
}

export type SkipReason = 'otherType' | 'sameValue' | 'sameRemark' | 'notPatchable';

/** Returns the reason why a config stays unchanged; undefined if the batch changes it. */
export function skipReason(config: Config, { kind, type, text, remark }: BatchForm): SkipReason | undefined {
  if (kind === 'delete') return undefined;
  if (kind === 'remark') return config.remark === remark.trim() ? 'sameRemark' : undefined;
  if (config.valueType !== type) return 'otherType';
  const { value } = readValue(type, text);
  if (value === undefined) return undefined;
  // The browser does not know a masked value, so it cannot compare it.
  if (config.masked === true) return undefined;
  if (equal(valueOf(config), value)) return 'sameValue';
  return isPatchable({ value: valueOf(config) }, { value }) ? undefined : 'notPatchable';
}

/** Returns the entry of one config in the batch request, guarded by the displayed ETag. */
export function changeOf(config: Config, { kind, type, text, remark }: BatchForm): JsonObject {
  const { key, etag } = config;
  if (kind === 'delete') return { key, op: 'delete', etag };
  const patch = kind === 'remark' ? { remark: remark.trim() } : patchOf({ value: valueOf(config) }, { value: readValue(type, text).value ?? null });
  return { key, op: 'update', etag, patch };
}

/**
 * Returns the batch entry that undoes the change of a config, guarded by the ETag after the batch.
 * Returns undefined if the earlier value is masked, or if no merge patch can express it because it
 * has null inside an object.
 */
export function undoOf(config: Config, etag: string | undefined, { kind, type, text }: BatchForm): JsonObject | undefined {
  const { key } = config;
  // The browser does not have a masked value, so it cannot restore it.
  if (config.masked === true && kind !== 'remark') return undefined;
  if (kind === 'delete') return { key, op: 'create', patch: contentOfConfig(config) };
  if (etag === undefined) return undefined;
  if (kind === 'remark') return { key, op: 'update', etag, patch: { remark: config.remark } };
  const [now, before] = [{ value: readValue(type, text).value ?? null }, { value: valueOf(config) }];
  return isPatchable(now, before) ? { key, op: 'update', etag, patch: patchOf(now, before) } : undefined;
}

const valueOf = (config: Config): Json => exact(config.value);

/** A verdict for each config of a batch with conflicts. */
export function conflictResults(items: readonly Item[], conflicts: readonly BatchMember[]): Result<Config>[] {
  const byIndex = new Map(conflicts.map((member) => [member.index, member]));
  return items.map(({ id }, index) => {
    const member = byIndex.get(index);
    if (member === undefined) return { id, verdict: 'stopped' };
    return { id, verdict: member.current === undefined ? 'gone' : 'changed', said: { code: member.code, text: member.detail }, current: member.current };
  });
}

/**
 * A verdict for each config of a batch with validation faults, by the pointers of the faults;
 * undefined if no fault concerns a config.
 */
export function rejectionResults(items: readonly Item[], fields: readonly FieldProblem[], say: (field: FieldProblem) => string): Result<Config>[] | undefined {
  const results = items.map(({ id }, index): Result<Config> => {
    const at = `/changes/${index}/`;
    const own = fields.filter(({ pointer }) => pointer.startsWith(at));
    if (own.length === 0) return { id, verdict: 'stopped' };
    return {
      id,
      verdict: 'rejected',
      said: { text: own.map((field) => `${field.pointer.slice(at.length).replace(/^patch\//, '')} ${say(field)}`).join('; ') },
    };
  });
  return results.some(({ verdict }) => verdict === 'rejected') ? results : undefined;
}
