import type { FieldProblem } from '@/api';
import { equal, exact, isPatchable, patchOf, type Json, type JsonObject } from '@/merge';
import type { BatchMember, Config, ValueType } from '../queries';

/** The most changes of one batch. */
export const mostChanges = 500;

/** What is to be done with every chosen config. */
export type BatchEdit =
  | { kind: 'value'; type: ValueType; /** Undefined until something that can be read was typed. */ value: Json | undefined }
  | { kind: 'remark'; remark: string }
  | { kind: 'delete' };

export type SkipReason = 'otherType' | 'sameValue' | 'sameRemark' | 'notPatchable' | 'overLimit';

export interface Plan {
  eligible: Config[];
  skipped: { config: Config; reason: SkipReason }[];
}

/** Which configs the edit changes, and why it leaves the others as they are. */
export function planOf(configs: readonly Config[], edit: BatchEdit): Plan {
  const plan: Plan = { eligible: [], skipped: [] };
  for (const config of configs) {
    const reason = skipReason(config, edit) ?? (plan.eligible.length >= mostChanges ? 'overLimit' : undefined);
    if (reason === undefined) plan.eligible.push(config);
    else plan.skipped.push({ config, reason });
  }
  return plan;
}

function skipReason(config: Config, edit: BatchEdit): SkipReason | undefined {
  switch (edit.kind) {
    case 'delete':
      return undefined;
    case 'remark':
      return config.remark === edit.remark ? 'sameRemark' : undefined;
    case 'value':
      if (config.valueType !== edit.type) return 'otherType';
      if (edit.value === undefined) return undefined;
      if (equal(valueOf(config), edit.value)) return 'sameValue';
      return isPatchable({ value: valueOf(config) }, { value: edit.value }) ? undefined : 'notPatchable';
  }
}

/** The body of the batch: each change with the tag of what was seen. */
export function batchOf(configs: readonly Config[], edit: BatchEdit, note: string): JsonObject {
  return { note, changes: configs.map((config) => changeOf(config, edit)) };
}

function changeOf(config: Config, edit: BatchEdit): JsonObject {
  const { key, etag } = config;
  switch (edit.kind) {
    case 'delete':
      return { key, op: 'delete', etag };
    case 'remark':
      return { key, op: 'update', etag, patch: { remark: edit.remark } };
    case 'value':
      return { key, op: 'update', etag, patch: patchOf({ value: valueOf(config) }, { value: edit.value ?? null }) };
  }
}

export const valueOf = (config: Config): Json => exact(config.value);

/** What became of one config of a batch. */
export interface RowVerdict {
  config: Config;
  /** `stopped`: nothing stood in its way, but the batch is all or nothing. */
  verdict: 'done' | 'changed' | 'gone' | 'refused' | 'stopped';
  /** What the service says of a refused one. */
  detail: string;
  /** How others left it, when it was changed. */
  current?: Config;
}

/** A verdict for each config of a batch that conflicted. */
export function conflictVerdicts(configs: readonly Config[], conflicts: readonly BatchMember[]): RowVerdict[] {
  const byIndex = new Map(conflicts.map((member) => [member.index, member]));
  return configs.map((config, index) => {
    const member = byIndex.get(index);
    if (member === undefined) return { config, verdict: 'stopped', detail: '' };
    return { config, verdict: member.current === undefined ? 'gone' : 'changed', detail: member.detail, current: member.current };
  });
}

/** A verdict for each config of a batch that broke rules, by the pointers of its fields. */
export function refusalVerdicts(configs: readonly Config[], fields: readonly FieldProblem[], say: (field: FieldProblem) => string): RowVerdict[] {
  return configs.map((config, index) => {
    const at = `/changes/${index}/`;
    const own = fields.filter(({ pointer }) => pointer.startsWith(at));
    if (own.length === 0) return { config, verdict: 'stopped', detail: '' };
    return { config, verdict: 'refused', detail: own.map((field) => `${field.pointer.slice(at.length).replace(/^patch\//, '')} ${say(field)}`).join('; ') };
  });
}

/** The configs to try again with: as others left them, without those that are gone. */
export function refreshed(verdicts: readonly RowVerdict[]): Config[] {
  return verdicts.filter(({ verdict }) => verdict !== 'gone').map(({ config, current }) => current ?? config);
}

/** The configs that nothing stood in the way of. */
export function unopposed(verdicts: readonly RowVerdict[]): Config[] {
  return verdicts.filter(({ verdict }) => verdict === 'stopped').map(({ config }) => config);
}
