import { randomId } from '@/browser/id';
import { ApiProblem, problemOf, proposed } from './problem';
import { isSame, type SessionStore } from './session';
import { stepUpQuestion, type StepUpQuestion } from './stepUp';

/** The timeout of a read, in ms. */
const readTimeout = 20_000;
/** The timeout of a write, in ms: slightly longer than the service's timeout. */
const writeTimeout = 45_000;

type Send = (request: Request) => Promise<Response>;

const safe = new Set(['GET', 'HEAD']);
const sessionPath = '/api/v1/session';
const approvalsPath = '/api/v1/approvals/';

/**
 * Returns a fetch that adds the headers of every request. It throws an ApiProblem for every error
 * response and for an incomplete reply.
 *
 * If the session has ended, the request waits until the same user has signed in again and is then
 * repeated; it was not carried out. If the request needs the second factor again, it waits for the
 * step-up and is then repeated; without it, the request throws the rejection.
 */
export function transport(sessions: SessionStore, send: Send = (request) => fetch(request), stepUp: StepUpQuestion = stepUpQuestion) {
  return async (request: Request): Promise<Response> => {
    const sent = sessions.csrfToken;
    const response = await attempt(request.clone(), sessions, send);
    if (response.ok || response.status === 304) return made(response);
    const problem = await problemOf(response);
    if (isSession(request)) throw problem;
    // The callers of the sign-in and step-up routes handle a 401 themselves.
    const begins = new URL(request.url).pathname.startsWith(`${sessionPath}/`);
    if (problem.code === 'unauthenticated' && !begins && (await sessions.expired(sent))) return again(request, sessions, send);
    // Another tab has signed in again, with a new cookie and a new token.
    if (problem.code === 'csrf_failed' && (await renewed(request, sessions, send))) return again(request, sessions, send);
    if (problem.code === 'step_up_required' && (await stepUp.ask())) return again(request, sessions, send);
    throw problem;
  };
}

async function again(request: Request, sessions: SessionStore, send: Send): Promise<Response> {
  const response = await attempt(request, sessions, send);
  if (response.ok) return made(response);
  throw await problemOf(response);
}

/** Returns the response, except a 202 with an approval, which it throws: the change of a protected record became a proposal. */
async function made(response: Response): Promise<Response> {
  if (response.status !== 202 || !response.headers.get('Location')?.startsWith(approvalsPath)) return response;
  throw proposed(await response.text(), response.status, response.headers.get('X-Request-Id') ?? '');
}

/** Adopts the browser's current session; returns whether it belongs to the same user in the same tenant. */
async function renewed(request: Request, sessions: SessionStore, send: Send): Promise<boolean> {
  const before = sessions.session;
  const response = await attempt(new Request(new URL(sessionPath, request.url)), sessions, send);
  if (!response.ok) return false;
  const session = (await response.json()) as Parameters<SessionStore['signedIn']>[0];
  sessions.signedIn(session, 'elsewhere');
  return before !== undefined && isSame(before, session);
}

async function attempt(request: Request, sessions: SessionStore, send: Send): Promise<Response> {
  const headers = new Headers(request.headers);
  const requestId = headers.get('X-Request-Id') ?? randomId();
  headers.set('X-Request-Id', requestId);
  if (!safe.has(request.method) && sessions.csrfToken !== undefined) headers.set('X-CSRF-Token', sessions.csrfToken);
  const timeout = AbortSignal.timeout(safe.has(request.method) ? readTimeout : writeTimeout);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    return await whole(await send(new Request(request, { headers, credentials: 'same-origin', cache: 'no-store', signal })));
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw noReply(timeout.aborted, requestId);
  }
}

/** Reads the complete body: a partial reply counts as none. */
async function whole(response: Response): Promise<Response> {
  const body = await response.text();
  return new Response(body === '' ? null : body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

function noReply(timedOut: boolean, requestId: string): ApiProblem {
  return timedOut
    ? new ApiProblem({ code: 'timed_out', title: 'No reply in time', detail: 'The service did not reply in time.', status: 0, requestId })
    : new ApiProblem({ code: 'no_connection', title: 'No connection', detail: 'The service cannot be reached.', status: 0, requestId });
}

function isSession(request: Request): boolean {
  return new URL(request.url).pathname === sessionPath;
}
