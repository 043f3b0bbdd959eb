import createClient from 'openapi-fetch';
import { encode, parse, type Edit, type Json } from '@/merge';
import { retrying } from './retry';
import type { paths } from './schema';
import { sessionStore } from './session';
import { transport } from './transport';

/**
 * The API client, typed by the OpenAPI contract. It throws an ApiProblem for every error response.
 * It retries a write under its idempotency key until the outcome is known, see retrying.
 */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: retrying(transport(sessionStore), () => sessionStore.owner) });

/** Returns the response body. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/**
 * Returns the response body with every number spelled as received. Configs and counters may contain
 * numbers with more digits than a float. Call the API with `parseAs: 'text'`.
 */
export async function exactly<T>(call: Promise<{ data?: string }>): Promise<T> {
  return parse((await call).data ?? 'null') as unknown as T;
}

/** The header of an idempotent write. useKeyedMutation and the hooks built on it provide the key. */
export function idempotent(key: string): { 'X-Idempotency-Key': string } {
  return { 'X-Idempotency-Key': key };
}

/** Sends a JSON tree with its numbers as typed. The types of the contract only know floats. */
export const asTyped = (tree: Json, headers: Record<string, string>, type: 'json' | 'merge-patch+json' | 'json-patch+json' = 'json') => ({
  body: tree as never,
  bodySerializer: () => encode(tree),
  headers: { ...headers, 'Content-Type': `application/${type}` },
});

/** Sends an edit under an idempotency key: a merge patch, or a JSON Patch. */
export const asEdit = (edit: Edit, key: string) => asTyped(edit, idempotent(key), Array.isArray(edit) ? 'json-patch+json' : 'merge-patch+json');
