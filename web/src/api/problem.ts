import { exact, isObject, parse, type Conflict, type Json, type JsonObject } from '@/merge';
import type { components } from './schema';

/**
 * The error codes of the contract, and those of the client: three for requests without a reply of
 * the service, two for requests that were not sent, and one for changes that became a proposal.
 */
export type ProblemCode = components['schemas']['Code'] | 'no_connection' | 'timed_out' | 'bad_gateway' | 'other_identity' | 'key_expired' | 'proposed';
export type FieldProblem = components['schemas']['Field'];
export type PersonName = components['schemas']['Person'];

/** The members of every problem. ApiProblem.body also contains the members that only some codes have. */
interface Members {
  code: ProblemCode;
  title: string;
  detail: string;
  status: number;
  requestId: string;
  fields?: FieldProblem[];
  /** The time to wait, in ms. It has precedence over Retry-After, which has a resolution of one second. */
  retryAfterMs?: number;
}

/** The codes that leave the outcome of a write unknown: the client received no reply of the service, or a reply that reports no outcome. */
const unknown: ReadonlySet<ProblemCode> = new Set([
  'no_connection',
  'timed_out',
  'bad_gateway',
  'outcome_unknown',
  'request_in_progress',
  'inflight_duplicate',
  'key_expired',
]);

/**
 * The codes that report nothing about an earlier attempt with the same key: this attempt was
 * rejected before the service looked up the earlier one, or it was rolled back, or it was not sent.
 */
const tellsNothingOfEarlier: ReadonlySet<ProblemCode> = new Set([
  'unavailable',
  'internal',
  'rate_limited',
  'quota_exceeded',
  'unauthenticated',
  'csrf_failed',
  'step_up_required',
  'forbidden',
  'payload_too_large',
  'other_identity',
]);

const transient: ReadonlySet<ProblemCode> = new Set([
  'unavailable',
  'rate_limited',
  'resource_locked',
  'no_connection',
  'timed_out',
  'bad_gateway',
  'other_identity',
]);

/** A request that was rejected or had no reply. Branch on `code`; display `message`. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly title: string;
  /** 0 when there was no reply. */
  readonly status: number;
  /** The id to quote to support. */
  readonly requestId: string;
  readonly fields: readonly FieldProblem[];
  /** The wait that the service requests, in ms. */
  readonly retryAfter: number | undefined;
  /**
   * Whether an earlier attempt with the same key may have been carried out; set by `retrying`. A
   * reply of the service settles it, unless the code is in tellsNothingOfEarlier.
   */
  isInDoubt = false;
  readonly #text: string;

  constructor(members: Members, text = '{}', retryAfter?: number) {
    super(members.detail);
    this.name = 'ApiProblem';
    this.code = members.code;
    this.title = members.title;
    this.status = members.status;
    this.requestId = members.requestId;
    this.fields = members.fields ?? [];
    this.retryAfter = members.retryAfterMs ?? retryAfter;
    this.#text = text;
  }

  /** The complete problem. Numbers retain all digits. */
  get body(): Json {
    return parse(this.#text);
  }

  /** The complete problem as plain data; the caller knows its type from the code. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the contract defines the members of each code
  as<T>(): T {
    return JSON.parse(this.#text) as T;
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return transient.has(this.code);
  }

  /** Whether the write may have been carried out. Only the same write with the same key may be sent again. */
  get isOutcomeUnknown(): boolean {
    return unknown.has(this.code) || (this.isInDoubt && tellsNothingOfEarlier.has(this.code));
  }
}

/** A write that was started by another user, or in another tenant, and was not sent. */
export const otherIdentity = (): ApiProblem =>
  new ApiProblem({
    code: 'other_identity',
    title: 'Started in another session',
    detail: 'This write was started by another user or in another tenant and was not sent. Sign in there to resume it.',
    status: 0,
    requestId: '',
  });

/**
 * A write with an unknown outcome that is too old for a retry: the service may have deleted its
 * idempotency key, and a retry could carry out the write twice.
 */
export const keyExpired = (): ApiProblem =>
  new ApiProblem({
    code: 'key_expired',
    title: 'Too late to retry',
    detail:
      'This was sent about a day ago, and the service no longer stores its outcome. It was not sent again. Check whether it was carried out before you start over.',
    status: 0,
    requestId: '',
  });

/** A protected record was not changed. The body contains the approval that waits for votes. */
export const proposed = (text: string, status: number, requestId: string): ApiProblem =>
  new ApiProblem(
    { code: 'proposed', title: 'Proposed', detail: 'This record is protected. Your change was proposed and waits for approval.', status, requestId },
    text,
  );

export function isProblem<C extends ProblemCode>(error: unknown, ...codes: C[]): error is ApiProblem & { code: C } {
  return error instanceof ApiProblem && (codes.length === 0 || codes.includes(error.code as C));
}

/** Whether a failed write may have been carried out. It is also true for every error that is not an ApiProblem. */
export const isUnknown = (error: unknown): boolean => !(error instanceof ApiProblem) || error.isOutcomeUnknown;

/** Returns the result of the read, or undefined if the record does not exist. */
export async function orMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (problem) {
    if (isProblem(problem, 'not_found')) return undefined;
    throw problem;
  }
}

/** The body of the response to a stale edit. T is the resource. */
export interface VersionConflict<T> {
  /** Null if the row was deleted and created again. */
  expectedVersion: number | null;
  currentVersion: number;
  currentEtag: string;
  updatedBy: PersonName;
  updatedTime: string;
  base: T | null;
  current: T;
  conflicts: Conflict[];
  theirsOnly: string[];
  yoursOnly: string[];
  autoMergeable: boolean;
}

/** The conflict of a 412, with all digits of numbers; undefined for any other error. */
export function versionConflict<T>(error: unknown): VersionConflict<T> | undefined {
  return isProblem(error, 'version_conflict') ? (error.body as unknown as VersionConflict<T>) : undefined;
}

/** The body of the response to a transition that lost a race. T is the resource. */
export interface TransitionRejected<T> {
  current: T;
  currentStatus: string;
  allowedTransitions: string[];
  changedBy: PersonName;
  changedTime: string;
}

/** The change that came first, if a transition was rejected; undefined for any other error. */
export function transitionRejected<T>(error: unknown): TransitionRejected<T> | undefined {
  return isProblem(error, 'status_changed', 'transition_not_allowed') ? error.as<TransitionRejected<T>>() : undefined;
}

/** The user who changed the record first, and the current record. */
export interface Winner<T> {
  current: T;
  by: PersonName;
  time: string;
}

/** The change that came first, if a transition or an edit lost a race; undefined for any other error. */
export function winnerOf<T>(error: unknown): Winner<T> | undefined {
  const rejected = transitionRejected<T>(error);
  if (rejected !== undefined) return { current: rejected.current, by: rejected.changedBy, time: rejected.changedTime };
  if (!isProblem(error, 'version_conflict')) return undefined;
  const { current, updatedBy, updatedTime } = error.as<VersionConflict<T>>();
  return { current, by: updatedBy, time: updatedTime };
}

/** Reads the problem from an error response. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  const requestId = response.headers.get('X-Request-Id') ?? '';
  const body = json(text);
  if (typeof body?.code === 'string') return new ApiProblem(body as unknown as Members, text, retryAfter);
  // A proxy replied instead of the service. A status below 500 means that the proxy rejected the
  // request. With any other status the service may have carried it out.
  const code = response.status >= 500 ? 'bad_gateway' : 'internal';
  const members: Members = { code, title: response.statusText, detail: `HTTP ${response.status}`, status: response.status, requestId };
  return new ApiProblem(members, body === undefined ? undefined : text, retryAfter);
}

function json(text: string): JsonObject | undefined {
  try {
    const tree = exact(JSON.parse(text));
    return isObject(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}
