import { isObject, type Json, type JsonObject } from './json';

/** The same value with the members of its objects in the order that another has them; what is new comes last. */
export function inOrderOf(like: Json, value: Json): Json {
  if (Array.isArray(like) && Array.isArray(value)) return value.map((item, i) => inOrderOf(like[i] ?? null, item));
  if (!isObject(like) || !isObject(value)) return value;
  const names = [...Object.keys(like).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value).filter((name) => !Object.hasOwn(like, name))];
  const ordered = Object.create(null) as JsonObject;
  for (const name of names) ordered[name] = inOrderOf(Object.hasOwn(like, name) ? (like[name] ?? null) : null, value[name] ?? null);
  return ordered;
}
