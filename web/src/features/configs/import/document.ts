import type { FieldProblem } from '@/api';
import { diff, isObject, JsonSyntaxError, parse, type Change, type Json, type JsonObject } from '@/merge';
import { replacement } from '@/ui/files/encoding';
import type { Imported, ImportVerdict, OnExisting } from '../queries';

/** The maximum size of a document in bytes, as in the service. */
export const longestDocument = 32 * 1024 * 1024;
export const mostConfigs = 10_000;

/** Why a file cannot be imported. */
export type Unusable = { kind: 'tooLong' | 'notExport' | 'tooMany' | 'empty' } | { kind: 'noJson' | 'replaced'; line: number };

/** A document in the format of an export. */
export interface ImportDocument {
  configs: Json[];
  /** The members of the file that the import ignores. */
  passedOver: readonly string[];
}

/** Parses the text of a file. For an unusable file it returns the reason, with the line if there is one. */
export function readDocument(text: string): { document: ImportDocument } | { unusable: Unusable } {
  if (new Blob([text]).size > longestDocument) return { unusable: { kind: 'tooLong' } };
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const broken = text.indexOf(replacement);
  if (broken >= 0) return { unusable: { kind: 'replaced', line: lineAt(broken) } };
  let tree: Json;
  try {
    tree = parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { unusable: { kind: 'noJson', line: lineAt(error.offset) } };
  }
  if (!isObject(tree) || !Array.isArray(tree.configs) || !tree.configs.every(isObject)) return { unusable: { kind: 'notExport' } };
  if (tree.configs.length === 0) return { unusable: { kind: 'empty' } };
  if (tree.configs.length > mostConfigs) return { unusable: { kind: 'tooMany' } };
  return { document: { configs: tree.configs, passedOver: Object.keys(tree).filter((member) => member !== 'configs') } };
}

/** Returns the request body that imports a document. */
export function importOf({ configs }: Pick<ImportDocument, 'configs'>, onExisting: OnExisting, note: string): JsonObject {
  return { onExisting, note, configs };
}

export interface ImportRow extends Omit<ImportVerdict, 'verdict'> {
  verdict: keyof Imported['counts'];
  changes: readonly Change[];
}

/**
 * Returns the rows of a document in its order, each with the verdict of the service and the
 * differences from the current config with the same key.
 */
export function rowsOf(
  { verdicts, rows }: Pick<Imported, 'verdicts' | 'rows'>,
  { configs }: ImportDocument,
  now: ReadonlyMap<string, JsonObject>,
): ImportRow[] {
  const rejected = new Map(verdicts.map((verdict) => [verdict.index, verdict]));
  const byVerdict = Object.entries(rows ?? {}) as [ImportRow['verdict'], number[]][];
  const all = byVerdict.flatMap(([verdict, indexes]) => indexes.map((index) => rejected.get(index) ?? { index, verdict, key: keyOf(configs[index]) }));
  return (rows === undefined ? verdicts : all.sort((a, b) => a.index - b.index)).map((row) => {
    const after = configs[row.index];
    const before = now.get(row.key);
    const differs = row.verdict !== 'create' && row.verdict !== 'unchanged' && row.verdict !== 'invalid';
    return { ...row, changes: differs && before !== undefined && after !== undefined && isObject(after) ? changesBetween(before, after) : [] };
  });
}

export const keyOf = (config: Json | undefined): string => (config !== undefined && isObject(config) && typeof config.key === 'string' ? config.key : '');

/** The default of an omitted member: no remark, no schema, the type of the value. */
function changesBetween(before: JsonObject, after: JsonObject): readonly Change[] {
  const { valueType = null } = before;
  return diff(contentIn(before), contentIn({ valueType, ...after }));
}

function contentIn({ value = null, valueType = null, remark = '', schema = null }: JsonObject): JsonObject {
  return { value, valueType, remark, ...(schema === null ? {} : { schema }) };
}

/** Returns the configs of an export, keyed by config key. */
export function byKey(exported: string): Map<string, JsonObject> {
  const tree = parse(exported);
  const configs = isObject(tree) && Array.isArray(tree.configs) ? tree.configs.filter(isObject) : [];
  return new Map(configs.map((config) => [keyOf(config), config]));
}

/** Returns the reason for a rejected entry, in one line. */
export function reasonOf({ detail, fields, index }: ImportRow, say: (field: FieldProblem) => string): string {
  const at = `/configs/${index}/`;
  const faults = (fields ?? []).map((field) => `${field.pointer.startsWith(at) ? field.pointer.slice(at.length) : field.pointer} ${say(field)}`);
  return [...(detail === undefined ? [] : [detail]), ...faults].join('; ');
}
