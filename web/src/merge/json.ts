/**
 * JSON values for the merge. Numbers whose spelling a float cannot represent, such as
 * 9007199254740993 or 1.50, are stored as text, so that parsing and encoding a document loses no
 * digit. Objects have no prototype: `__proto__` is an ordinary key.
 */
export type Json = null | boolean | number | string | ExactNumber | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** A number with its text in the source. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** JSON.stringify would round; use encode instead. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** A JSON value that may be absent: undefined is absent, null is null. */
export type Value = Json | undefined;

export function isObject(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

export function member(object: JsonObject, name: string): Value {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

/** A syntax error in JSON text; offset is in UTF-16 units. */
export class JsonSyntaxError extends SyntaxError {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsonSyntaxError';
    this.offset = offset;
  }
}

/** parse reads exactly one JSON value (RFC 8259). Of duplicate names the last one counts. */
export function parse(text: string): Json {
  return new Parser(text).document();
}

/** exact converts the result of JSON.parse to a tree. */
export function exact(data: unknown): Json {
  if (data instanceof ExactNumber) return data;
  if (Array.isArray(data)) return data.map(exact);
  if (typeof data === 'object' && data !== null) {
    const object = emptyObject();
    for (const [name, value] of Object.entries(data)) {
      if (value !== undefined) object[name] = exact(value);
    }
    return object;
  }
  if (data === null || typeof data === 'boolean' || typeof data === 'number' || typeof data === 'string') return data;
  throw new TypeError(`${typeof data} has no JSON`);
}

/** encode writes a tree, and each number with all its digits; indent is that of JSON.stringify. */
export function encode(value: Json, indent = 0): string {
  return write(value, indent, '');
}

function write(value: Json, indent: number, margin: string): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const array = Array.isArray(value);
  const inner = margin + ' '.repeat(indent);
  const parts = array
    ? value.map((item) => write(item, indent, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${write(item, indent, inner)}`);
  const [open, close] = array ? '[]' : '{}';
  if (parts.length === 0 || indent === 0) return `${open ?? ''}${parts.join(',')}${close ?? ''}`;
  return `${open ?? ''}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close ?? ''}`;
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex -- JSON strings hold no control characters
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const spacePattern = /[ \t\n\r]*/y;
const maxDepth = 1000;

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) this.#fail('there is something after the value');
    return value;
  }

  #value(): Json {
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) this.#fail('it is nested too deeply');
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const object = emptyObject();
    if (this.#take('}')) return object;
    do {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail('a name in double quotes is expected');
      const name = this.#string();
      if (!this.#take(':')) this.#fail('a colon is expected');
      object[name] = this.#value();
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('a comma or } is expected');
    return object;
  }

  #array(): Json[] {
    const array: Json[] = [];
    if (this.#take(']')) return array;
    do array.push(this.#value());
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('a comma or ] is expected');
    return array;
  }

  #string(): string {
    const source = this.#match(stringPattern) ?? this.#fail('the string is not closed, or has an escape that JSON does not know');
    return JSON.parse(source) as string;
  }

  #number(): Json {
    const source = this.#match(numberPattern) ?? this.#fail('a value is expected');
    const value = Number(source);
    return Number.isFinite(value) && !Object.is(value, -0) && String(value) === source ? value : new ExactNumber(source);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('a value is expected');
    this.#at += word.length;
    return value;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #space(): void {
    this.#match(spacePattern);
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #fail(message: string): never {
    throw new JsonSyntaxError(message, this.#at);
  }
}
