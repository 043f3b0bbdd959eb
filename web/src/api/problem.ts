import { exact, parse, type Conflict, type Json } from '@/merge';
import type { components } from './schema';

/** The codes of the contract, and two for requests that had no reply. */
export type ProblemCode = components['schemas']['Code'] | 'no_connection' | 'timed_out';
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
  /** Goes before Retry-After, which cannot say less than a second. */
  retryAfterMs?: number;
}

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
  readonly #text: string;

  constructor(members: Members, text = '{}', retryAfter?: number) {
    super(members.detail);
    this.name = 'ApiProblem';
    this.code = members.code;
    this.title = members.title;
    this.status = members.status;
    this.requestId = members.requestId;
    this.fields = members.fields ?? [];
    this.retryAfter = retryAfter;
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

  /** Nothing was changed, so the same request may simply be sent again. */
  get isTransient(): boolean {
    return this.code === 'unavailable' || this.code === 'rate_limited' || this.code === 'resource_locked' || this.code === 'no_connection' || this.code === 'timed_out';
  }

  /** The request may have been carried out: look before repeating it without its key. */
  get isOutcomeUnknown(): boolean {
    return this.code === 'outcome_unknown' || this.code === 'no_connection' || this.code === 'timed_out';
  }
}

/** Whether the key of a write that failed like this has to be kept: there is no answer under it yet. */
export function keepsKey(error: unknown): boolean {
  return error instanceof ApiProblem && (error.isTransient || error.isOutcomeUnknown || error.code === 'request_in_progress');
}

export function isProblem<C extends ProblemCode>(error: unknown, ...codes: C[]): error is ApiProblem & { code: C } {
  return error instanceof ApiProblem && (codes.length === 0 || codes.includes(error.code as C));
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

/** The conflict of a 412, undefined for any other error. */
export function versionConflict<T>(error: unknown): VersionConflict<T> | undefined {
  if (!isProblem(error, 'version_conflict')) return undefined;
  const { conflicts } = error.body as unknown as VersionConflict<T>;
  return { ...error.as<VersionConflict<T>>(), conflicts };
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

/** Reads the problem of a reply that is not OK. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text();
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  const requestId = response.headers.get('X-Request-Id') ?? '';
  let said = '{}';
  try {
    const body = exact(JSON.parse(text)) as unknown as Members;
    said = text;
    if (typeof body.code === 'string') return new ApiProblem({ ...body, requestId: body.requestId }, text, body.retryAfterMs ?? retryAfter);
  } catch {
    // A proxy in between answers in words of its own.
  }
  const code = response.status >= 500 ? 'unavailable' : 'internal';
  return new ApiProblem({ code, title: response.statusText, detail: `HTTP ${response.status}`, status: response.status, requestId }, said, retryAfter);
}
