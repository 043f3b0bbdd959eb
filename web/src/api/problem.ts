import { exact, isObject, parse, type Conflict, type Json, type JsonObject } from '@/merge';
import type { components } from './schema';

/**
 * The codes of the contract, three for requests that the service did not answer, two for those that were not sent, and one
 * for changes that were proposed and not made.
 */
export type ProblemCode = components['schemas']['Code'] | 'no_connection' | 'timed_out' | 'bad_gateway' | 'other_identity' | 'key_expired' | 'proposed';
export type FieldProblem = components['schemas']['Field'];
export type PersonName = components['schemas']['Person'];

/** What every problem has; the contract's other members lie in `body`. */
interface Members {
  code: ProblemCode;
  title: string;
  detail: string;
  status: number;
  requestId: string;
  fields?: FieldProblem[];
  /** How long to wait. Goes before Retry-After, which cannot say less than a second. */
  retryAfterMs?: number;
}

/** No word of the service about this attempt came back, or it says itself that it does not know. */
const unknown: ReadonlySet<ProblemCode> = new Set([
  'no_connection',
  'timed_out',
  'bad_gateway',
  'outcome_unknown',
  'request_in_progress',
  'inflight_duplicate',
  'key_expired',
]);

/** Said before the service looked what an earlier attempt under the same key did, or about an attempt of which nothing stayed. */
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

/** A request that was refused or had no reply. Decide by `code`, show `message`. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly title: string;
  /** 0 when there was no reply. */
  readonly status: number;
  /** What to quote when asking for help. */
  readonly requestId: string;
  readonly fields: readonly FieldProblem[];
  /** How long the service asks to wait, in ms. */
  readonly retryAfter: number | undefined;
  /**
   * An attempt before this one, under the same key, may have been carried out. Whoever
   * sends sets it; what the service says then settles it, unless it tells nothing of
   * earlier attempts.
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

  /** The whole problem with every number as it was spelled. */
  get body(): Json {
    return parse(this.#text);
  }

  /** The whole problem as plain data, which the caller knows by its code. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the contract says what each code carries
  as<T>(): T {
    return JSON.parse(this.#text) as T;
  }

  /** Asking again may succeed. */
  get isTransient(): boolean {
    return transient.has(this.code);
  }

  /** A write may have been carried out: only the same, under the same key, may be sent again. */
  get isOutcomeUnknown(): boolean {
    return unknown.has(this.code) || (this.isInDoubt && tellsNothingOfEarlier.has(this.code));
  }
}

/** A write was begun by somebody else, or in another tenant, and was not sent. */
export const otherIdentity = (): ApiProblem =>
  new ApiProblem({
    code: 'other_identity',
    title: 'Not yours to send',
    detail: 'Somebody else began this, or you did in another tenant, so that it was not sent. Sign in there to go on with it.',
    status: 0,
    requestId: '',
  });

/** A write whose outcome is open was not asked for again: the service may have forgotten its key, and would do it once more. */
export const keyExpired = (): ApiProblem =>
  new ApiProblem({
    code: 'key_expired',
    title: 'Too late to ask again',
    detail: 'This was sent about a day ago, and the service no longer knows what came of it. It was not sent again. Look whether it was done, then begin anew.',
    status: 0,
    requestId: '',
  });

/** A change of something protected was not made: it waits for the votes of others, as the approval in the body. */
export const proposed = (text: string, status: number, requestId: string): ApiProblem =>
  new ApiProblem(
    { code: 'proposed', title: 'Proposed', detail: 'It is protected: your change was proposed and waits for the votes of others.', status, requestId },
    text,
  );

export function isProblem<C extends ProblemCode>(error: unknown, ...codes: C[]): error is ApiProblem & { code: C } {
  return error instanceof ApiProblem && (codes.length === 0 || codes.includes(error.code as C));
}

/** Whether a write that failed like this may have been carried out: also when what came back was no reply of the service. */
export const isUnknown = (error: unknown): boolean => !(error instanceof ApiProblem) || error.isOutcomeUnknown;

/** What is read, or undefined when there is no such thing. */
export async function orMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (problem) {
    if (isProblem(problem, 'not_found')) return undefined;
    throw problem;
  }
}

/** What a stale edit is answered with. T is the resource. */
export interface VersionConflict<T> {
  /** Null when the row was deleted and made anew. */
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

/** The conflict of a 412, its numbers as they were spelled; undefined for any other error. */
export function versionConflict<T>(error: unknown): VersionConflict<T> | undefined {
  return isProblem(error, 'version_conflict') ? (error.body as unknown as VersionConflict<T>) : undefined;
}

/** What the loser of a transition is answered with. T is the resource. */
export interface TransitionRefused<T> {
  current: T;
  currentStatus: string;
  allowedTransitions: string[];
  changedBy: PersonName;
  changedTime: string;
}

/** Who was first, when a transition was refused; undefined for any other error. */
export function transitionRefused<T>(error: unknown): TransitionRefused<T> | undefined {
  return isProblem(error, 'status_changed', 'transition_not_allowed') ? error.as<TransitionRefused<T>>() : undefined;
}

/** Who was first, and what the record is since. */
export interface Winner<T> {
  current: T;
  by: PersonName;
  time: string;
}

/** Who was first, when a write came second to a transition or an edit; undefined for any other error. */
export function winnerOf<T>(error: unknown): Winner<T> | undefined {
  const refused = transitionRefused<T>(error);
  if (refused !== undefined) return { current: refused.current, by: refused.changedBy, time: refused.changedTime };
  if (!isProblem(error, 'version_conflict')) return undefined;
  const { current, updatedBy, updatedTime } = error.as<VersionConflict<T>>();
  return { current, by: updatedBy, time: updatedTime };
}

/** Reads the problem of a reply that is not OK. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  const requestId = response.headers.get('X-Request-Id') ?? '';
  const body = json(text);
  if (typeof body?.code === 'string') return new ApiProblem(body as unknown as Members, text, retryAfter);
  // Something in between answers in words of its own, and does not tell what the service
  // itself did: only refusals below 500 end on the way there.
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
