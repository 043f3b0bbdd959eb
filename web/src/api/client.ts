import createClient from 'openapi-fetch';
import { parse } from '@/merge';
import { retrying } from './retry';
import type { paths } from './schema';
import { sessionStore } from './session';
import { transport } from './transport';

/** Where the service is: the origin that served this page. */
export const origin = window.location.origin;

const patch = 'application/merge-patch+json';

/**
 * The service, typed by its contract. Every refusal is thrown as an ApiProblem. A write
 * with an idempotency key is repeated with it until its outcome is known, see retrying.
 */
export const api = createClient<paths>({ baseUrl: origin, fetch: retrying(transport(sessionStore)) });

/** The body of a reply. */
export async function data<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** A reply with what its headers say. */
export interface Answer<T> {
  data: T;
  /** The service answered from its memory of an earlier attempt with the same key. */
  replayed: boolean;
  status: number;
}

export async function answer<T>(call: Promise<{ data?: T; response: Response }>): Promise<Answer<T>> {
  const { data: body, response } = await call;
  return { data: body as T, replayed: response.headers.get('X-Idempotency-Replay') === 'true', status: response.status };
}

/**
 * The body of a reply with every number as it was spelled; for configs, whose values
 * may hold more digits than a float. Ask for it with `parseAs: 'text'`.
 */
export async function exactly<T>(call: Promise<{ data?: string }>): Promise<T> {
  return parse((await call).data ?? 'null') as unknown as T;
}

/** The headers of a guarded write, made once by the dialog or form that sends it. */
export function idempotent(key: string): { 'X-Idempotency-Key': string } {
  return { 'X-Idempotency-Key': key };
}

/** How a merge patch is sent with its numbers as they were typed; `body` is JSON text. */
export const asMergePatch = {
  bodySerializer: (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body)),
  headers: { 'Content-Type': patch },
};
