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
}

type Content = Pick<Config, 'valueType' | 'value' | 'remark' | 'protected'> & { schema?: unknown };

export function formOf({ valueType, value, remark, schema, ...rest }: Content): ConfigForm {
  return {
    valueType,
    value: valueType === 'string' && typeof value === 'string' ? value : encode(exact(value), 2),
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
  content.value = form.valueType === 'string' ? form.value : typedValue(form);
  content.valueType = form.valueType;
  content.remark = form.remark;
  content.protected = form.protected;
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

/** The content of a config as the service has it. */
export const contentOfConfig = (config: Content): JsonObject => contentOf(formOf(config));

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
