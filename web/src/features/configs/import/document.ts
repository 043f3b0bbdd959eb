import type { FieldProblem } from '@/api';
import { diff, isObject, parse, type Change, type Json, type JsonObject } from '@/merge';
import type { Conversion, Imported, ImportVerdict, OnExisting } from '../queries';

/** The maximum size of a file in bytes, as in the service. */
export const maxDocumentBytes = 32 * 1024 * 1024;

type ImportDocument = Pick<Conversion, 'configs'>;

/** Returns the request body that imports a document. `preview` is that of the dry run. */
export function importOf({ configs }: ImportDocument, onExisting: OnExisting, note: string, preview = ''): JsonObject {
  return { onExisting, note, preview, configs };
}

export const isZip = async (file: Blob): Promise<boolean> => ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(await file.slice(0, 4).text());

/** Returns the bytes of a file in base64. */
export const base64Of = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? (reader.result.split(',')[1] ?? '') : '');
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });

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
    return { ...row, changes: after === undefined || !isObject(after) ? [] : changesOf(row.verdict, now.get(row.key), after) };
  });
}

export const keyOf = (config: Json | undefined): string => (config !== undefined && isObject(config) && typeof config.key === 'string' ? config.key : '');

/** Returns the value of a new config, or the differences from the current one. */
function changesOf(verdict: ImportRow['verdict'], before: JsonObject | undefined, after: JsonObject): readonly Change[] {
  if (verdict === 'create') return diff({}, { value: after.value ?? null });
  return before === undefined || verdict === 'unchanged' || verdict === 'invalid' ? [] : changesBetween(before, after);
}

/** Returns the differences of a row from the current config. A row without a remark or a schema removes them; with `valueOnly` they stay. */
function changesBetween(before: JsonObject, after: JsonObject): readonly Change[] {
  const { valueType = null } = before;
  return diff(contentIn(before), contentIn(after.valueOnly === true ? { ...before, value: after.value ?? null } : { valueType, ...after }));
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
