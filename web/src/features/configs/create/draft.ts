import { encode, isObject, JsonSyntaxError, parse, type Json, type JsonObject } from '@/merge';
import type { ValueType } from '../queries';

/** The form of the dialog that creates a config. */
export interface ConfigDraft {
  key: string;
  valueType: ValueType;
  /** The value as text: a string unchanged, every other value as JSON. */
  text: string;
  remark: string;
  /** A JSON Schema as JSON text; empty for none. */
  schema: string;
  protected: boolean;
  secret: boolean;
}

export type DraftField = 'key' | 'value' | 'remark' | 'schema' | 'secret';

/** A validation error that the browser finds without the service. */
export type Fault = { kind: 'key' | 'number' | 'boolean' | 'schemaShape' } | { kind: 'json'; line: number; column: number };

export const emptyDraft: ConfigDraft = { key: '', valueType: 'string', text: '', remark: '', schema: '', protected: false, secret: false };

const keyShape = /^[A-Za-z0-9._:/[\]-]{1,200}$/;

/** A parsed value, or its fault. */
export type ReadValue = { value: Json; fault?: undefined } | { value?: undefined; fault: Fault };

/** Parses the text of a value by its type. Numbers are not reformatted. */
export function readValue(type: ValueType, text: string): ReadValue {
  if (type === 'string') return { value: text };
  const trimmed = text.trim();
  if (type === 'boolean') return trimmed === 'true' || trimmed === 'false' ? { value: trimmed === 'true' } : { fault: { kind: 'boolean' } };
  if (type === 'number') return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed) ? { value: parse(trimmed) } : { fault: { kind: 'number' } };
  return readJson(text);
}

function readJson(text: string): ReadValue {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { fault: jsonFault(text, error.offset) };
  }
}

/** Returns the syntax error at an offset of a JSON text, with its line and column. */
export function jsonFault(text: string, offset: number): Fault {
  const before = text.slice(0, offset).split('\n');
  return { kind: 'json', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Returns the request body and the faults of the form. A form without faults can be sent. */
export function readDraft(draft: ConfigDraft): { body: JsonObject; faults: Partial<Record<DraftField, Fault>> } {
  const faults: Partial<Record<DraftField, Fault>> = {};
  if (!keyShape.test(draft.key)) faults.key = { kind: 'key' };
  const value = readValue(draft.valueType, draft.text);
  if (value.fault !== undefined) faults.value = value.fault;
  const body: JsonObject = { key: draft.key, valueType: draft.valueType, value: value.value ?? null, remark: draft.remark.trim() };
  if (draft.protected) body.protected = true;
  if (draft.secret) body.secret = true;
  if (draft.schema.trim() !== '') {
    const schema = readJson(draft.schema);
    if (schema.fault !== undefined) faults.schema = schema.fault;
    else if (!isObject(schema.value) && typeof schema.value !== 'boolean') faults.schema = { kind: 'schemaShape' };
    else body.schema = schema.value;
  }
  return { body, faults };
}

/** Formats JSON with indentation; a text that is not JSON is returned unchanged. */
export function indented(text: string): string {
  const { value } = readJson(text);
  return value === undefined ? text : encode(value, 2);
}

/** Returns the input for the JSON Pointer of a validation error; undefined if there is none. */
export function fieldAt(pointer: string): { field: DraftField; within: string } | undefined {
  const [, name = '', ...rest] = pointer.split('/');
  const within = rest.length === 0 ? '' : `/${rest.join('/')}`;
  if (name === 'valueType') return { field: 'value', within };
  return name === 'key' || name === 'value' || name === 'remark' || name === 'schema' || name === 'secret' ? { field: name, within } : undefined;
}
