import createClient from 'openapi-fetch';
import { encode, parse, type Edit, type Json } from '@/merge';
import { sendFirst } from './firstSession';
import { retrying } from './retry';
import type { paths } from './schema';
import { sessionStore } from './session';
import { transport } from './transport';

/**
 * The API client, typed by the OpenAPI contract. It throws an ApiProblem for every error response.
 * A write with an unknown outcome is retried under the same idempotency key, see retrying.
 */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: retrying(transport(sessionStore, sendFirst), () => sessionStore.owner) });

/** Returns the response body. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/**
 * Returns the response body with all digits of its numbers, which a float may not represent in
 * configs and counters. Call the API with `parseAs: 'text'`.
 */
export async function exactly<T>(call: Promise<{ data?: string }>): Promise<T> {
  return parse((await call).data ?? 'null') as unknown as T;
}

/** The header of an idempotent write. useKeyedMutation and the hooks built on it provide the key. */
export function idempotent(key: string): { 'X-Idempotency-Key': string } {
  return { 'X-Idempotency-Key': key };
}

/**
 * Returns the request options for a body that is a JSON tree. Each number is sent with all its
 * digits. The body needs a cast, because the contract types numbers as floats.
 */
export const asTyped = (tree: Json, headers: Record<string, string>, type: 'json' | 'merge-patch+json' | 'json-patch+json' = 'json') => ({
  body: tree as never,
  bodySerializer: () => encode(tree),
  headers: { ...headers, 'Content-Type': `application/${type}` },
});

/** Returns the request options for an edit, a merge patch or a JSON Patch, under an idempotency key. */
export const asEdit = (edit: Edit, key: string) => asTyped(edit, idempotent(key), Array.isArray(edit) ? 'json-patch+json' : 'merge-patch+json');
