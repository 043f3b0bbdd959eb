import { encode, exact, ExactNumber, JsonSyntaxError, parse, type Json, type JsonObject } from '@/merge';
import type { Config, ValueType } from '../queries';

/** The form. The value is text, so that incomplete numbers and documents are stored too. */
export interface ConfigForm {
  valueType: ValueType;
  value: string;
  remark: string;
  schema: string;
  /** Changes need the approval of other users. */
  protected: boolean;
  /** The value is encrypted and only visible to readers of secrets. */
  secret: boolean;
  /** If the value is masked and stays unchanged, the ETag of its version; empty if the input contains the value. */
  masked: string;
}

type Content = Pick<Config, 'valueType' | 'value' | 'remark' | 'protected' | 'secret' | 'masked'> & { etag?: string; schema?: unknown };

/** Marks the placeholder of a masked value; the service never sends it. */
const withheldMark = '\u0000withheld';

/**
 * Returns the placeholder of a masked value in a content. It contains the ETag, because the masked
 * value may differ between versions: a value that was entered for an older version then conflicts
 * instead of replacing a newer one. It is an array, because arrays are compared and replaced as a
 * whole.
 */
const withheld = (etag: string): Json => [withheldMark, etag];

function tagOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value[0] !== withheldMark) return undefined;
  return typeof value[1] === 'string' ? value[1] : undefined;
}

/** Whether a value is the placeholder of a masked value. */
export const isWithheld = (value: unknown): boolean => tagOf(value) !== undefined;

export function formOf({ valueType, value, remark, schema, ...rest }: Content): ConfigForm {
  const masked = rest.masked === true ? (rest.etag ?? '?') : (tagOf(value) ?? '');
  return {
    valueType,
    value: masked !== '' ? '' : valueType === 'string' && typeof value === 'string' ? value : encode(exact(value), 2),
    masked,
    secret: rest.secret,
    remark,
    schema: schema === undefined || schema === null ? '' : encode(exact(schema), 2),
    protected: rest.protected,
  };
}

/** The members in which two forms differ. A replaced masked value counts as the value. */
export const changedMembers = (before: ConfigForm, after: ConfigForm): string[] =>
  (Object.keys(before) as (keyof ConfigForm)[]).filter((name) => before[name] !== after[name]).map((name) => (name === 'masked' ? 'value' : name));

export type FormField = 'value' | 'schema';

/** Thrown for a text that does not match its type. */
export class FormError extends Error {
  readonly field: FormField;
  /** The syntax error and its offset; undefined if the text is JSON of another type. */
  readonly syntax: JsonSyntaxError | undefined;

  constructor(field: FormField, syntax?: JsonSyntaxError) {
    super(syntax?.message ?? `the ${field} has another type`);
    this.field = field;
    this.syntax = syntax;
  }
}

/** The content of a form; throws a FormError. */
export function contentOf(form: ConfigForm): JsonObject {
  const content = Object.create(null) as JsonObject;
  content.value = form.masked !== '' ? withheld(form.masked) : form.valueType === 'string' ? form.value : typedValue(form);
  content.valueType = form.valueType;
  content.remark = form.remark;
  content.protected = form.protected;
  content.secret = form.secret;
  if (form.schema.trim() !== '') content.schema = read('schema', form.schema);
  return content;
}

/** Returns the content of a form, or the FormError of an invalid form. */
export function contentOrError(form: ConfigForm): JsonObject | FormError {
  try {
    return contentOf(form);
  } catch (error) {
    if (error instanceof FormError) return error;
    throw error;
  }
}

/** The content of a config from the service, without a masked value. */
export function contentOfConfig(config: Content): JsonObject {
  const content = contentOf(formOf(config));
  if (isWithheld(content.value)) delete content.value;
  return content;
}

/** The form of a content: the reverse of contentOf. */
export const formOfContent = (content: JsonObject): ConfigForm => formOf(content as unknown as Content);

/** Parses the value by its type. A number or boolean may also be the content of a JSON string, which the service accepts. */
function typedValue({ valueType, value }: ConfigForm): Json {
  const json = read('value', value);
  const held = typeof json === 'string' ? inner(json) : json;
  if (valueType === 'number' && typeof held !== 'number' && !(held instanceof ExactNumber)) throw new FormError('value');
  if (valueType === 'boolean' && typeof held !== 'boolean') throw new FormError('value');
  return json;
}

function inner(text: string): Json {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function read(field: FormField, text: string): Json {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new FormError(field, error);
    throw error;
  }
}

/** Converts the text of a value to another type. It preserves the meaning, but not always the spelling. */
export function respelled(text: string, from: ValueType, to: ValueType): string {
  if (to === 'boolean') return text.trim() === 'true' ? 'true' : 'false';
  if (to === 'string') {
    const held = from === 'string' ? text : inner(text);
    return typeof held === 'string' ? held : text;
  }
  if (from !== 'string' || to === 'number') return text;
  // Valid JSON stays unchanged; any other text becomes a JSON string.
  return typeof inner(text) === 'string' && !text.startsWith('"') ? JSON.stringify(text) : text;
}
