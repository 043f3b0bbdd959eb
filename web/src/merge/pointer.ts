import { isObject, member, type Value } from './json';

/** Returns the JSON Pointer (RFC 6901) of a path of member names. */
export function pointerOf(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the member names in a JSON Pointer. */
export function namesOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer; undefined for a pointer into an array. */
export function at(value: Value, pointer: string): Value {
  return namesOf(pointer).reduce<Value>((inner, name) => (isObject(inner) ? member(inner, name) : undefined), value);
}

/** Orders by code point, as the service does; sort() alone orders by UTF-16 unit. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()];
  for (;;) {
    const [x, y] = [left.next(), right.next()];
    if (x.done === true || y.done === true) return Number(y.done ?? false) - Number(x.done ?? false);
    const order = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
}
