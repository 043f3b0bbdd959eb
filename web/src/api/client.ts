import createClient from 'openapi-fetch';
import { encode, parse, type Json } from '@/merge';
import { retrying } from './retry';
import type { paths } from './schema';
import { sessionStore } from './session';
import { transport } from './transport';

/**
 * The service, typed by its contract. Every refusal is thrown as an ApiProblem. A write
 * with an idempotency key is repeated with it until its outcome is known, see retrying.
 */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: retrying(transport(sessionStore), () => sessionStore.owner) });

/** The body of a reply. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/**
 * The body of a reply with every number as it was spelled; for configs and counters,
 * whose values may hold more digits than a float. Ask for it with `parseAs: 'text'`.
 */
export async function exactly<T>(call: Promise<{ data?: string }>): Promise<T> {
  return parse((await call).data ?? 'null') as unknown as T;
}

/** The header of a write that is done once; the key comes from useKeyedMutation and those that stand on it. */
export function idempotent(key: string): { 'X-Idempotency-Key': string } {
  return { 'X-Idempotency-Key': key };
}

/** Sends a tree with its numbers as they were typed; the contract's types know only floats. */
export const asTyped = (tree: Json, headers: Record<string, string>, type: 'json' | 'merge-patch+json' = 'json') => ({
  body: tree as never,
  bodySerializer: () => encode(tree),
  headers: { ...headers, 'Content-Type': `application/${type}` },
});
