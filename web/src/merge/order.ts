import { isObject, type Json, type JsonObject } from './json';

/** Returns the value with its members in the order of another value; additional members come last. */
export function inOrderOf(like: Json, value: Json): Json {
  if (Array.isArray(like) && Array.isArray(value)) return value.map((item, i) => inOrderOf(like[i] ?? null, item));
  if (!isObject(like) || !isObject(value)) return value;
  const names = [...Object.keys(like).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value).filter((name) => !Object.hasOwn(like, name))];
  const ordered = Object.create(null) as JsonObject;
  for (const name of names) ordered[name] = inOrderOf(Object.hasOwn(like, name) ? (like[name] ?? null) : null, value[name] ?? null);
  return ordered;
}
