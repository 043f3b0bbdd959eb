import { encode, exact, ExactNumber, JsonSyntaxError, parse, type Json, type JsonObject } from '@/merge';
import type { Config, ValueType } from '../queries';

/** What is typed, as text, so that half a number or half a document is kept too. */
export interface ConfigForm {
  valueType: ValueType;
  value: string;
  remark: string;
  schema: string;
  /** Changes need the approval of others. */
  protected: boolean;
  /** Its value is encrypted, and shown only to who may read secrets. */
  secret: boolean;
  /** The tag of the version whose value is withheld and stays as it is; empty where the input has the value. */
  masked: string;
}

type Content = Pick<Config, 'valueType' | 'value' | 'remark' | 'protected' | 'secret' | 'masked'> & { etag?: string; schema?: unknown };

/** What marks a value that only stands for a withheld one; no service ever sends it. */
const withheldMark = '\u0000withheld';

/**
 * What stands for a withheld value in a content. It is another one in each version: what nobody can
 * compare may have changed, so that a value typed on an older version is never put over it unasked.
 * It is an array, which is compared and replaced as a whole.
 */
const withheld = (etag: string): Json => [withheldMark, etag];

function tagOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value[0] !== withheldMark) return undefined;
  return typeof value[1] === 'string' ? value[1] : undefined;
}

/** Whether a value of a content only stands for one that is withheld. */
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

export type FormField = 'value' | 'schema';

/** A text that is not what its type says. */
export class FormError extends Error {
  readonly field: FormField;
  /** What is wrong with the JSON and where; undefined when it is JSON of another type. */
  readonly syntax: JsonSyntaxError | undefined;

  constructor(field: FormField, syntax?: JsonSyntaxError) {
    super(syntax?.message ?? `the ${field} has another type`);
    this.field = field;
    this.syntax = syntax;
  }
}

/** The content that a form stands for; throws a FormError. */
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

/** The same, or what is wrong with the form. */
export function contentOrError(form: ConfigForm): JsonObject | FormError {
  try {
    return contentOf(form);
  } catch (error) {
    if (error instanceof FormError) return error;
    throw error;
  }
}

/** The content of a config as the service has it; without its value where that is withheld. */
export function contentOfConfig(config: Content): JsonObject {
  const content = contentOf(formOf(config));
  if (isWithheld(content.value)) delete content.value;
  return content;
}

/** The form of a content: the reverse of contentOf. */
export const formOfContent = (content: JsonObject): ConfigForm => formOf(content as unknown as Content);

/** A number or boolean may also stand in a string, as the service accepts it. */
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

/** The text of a value for another type: what it says stays, its spelling may have to change. */
export function respelled(text: string, from: ValueType, to: ValueType): string {
  if (to === 'boolean') return text.trim() === 'true' ? 'true' : 'false';
  if (to === 'string') {
    const held = from === 'string' ? text : inner(text);
    return typeof held === 'string' ? held : text;
  }
  if (from !== 'string' || to === 'number') return text;
  // A text that is JSON was written to be JSON; any other becomes a JSON string.
  return typeof inner(text) === 'string' && !text.startsWith('"') ? JSON.stringify(text) : text;
}
