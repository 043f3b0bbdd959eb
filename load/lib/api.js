// The service's API for load scripts: one token, JSON requests, replies as JSON or problems.
//
// Environment: INTERLOCK_LOAD_URL (http://127.0.0.1:8080), INTERLOCK_LOAD_TOKEN (ilk_…), and
// INTERLOCK_LOAD_JWT_SECRET (the service's secret of customers' tokens).

import crypto from 'k6/crypto';
import encoding from 'k6/encoding';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';

export const baseURL = `${(__ENV.INTERLOCK_LOAD_URL || 'http://127.0.0.1:8080').replace(/\/$/, '')}/api/v1`;

/**
 * Returns a name for the records of one run, so that two runs never share a row. Call it in setup,
 * so that all VUs get the same name: module code runs once per VU.
 */
export function newRunId() {
  return Date.now().toString(36);
}

/**
 * Returns the id of the n-th customer: a number, a text and an address in turn. A number is sent as
 * a number. Replies contain the text.
 */
export function customerOf(n) {
  return [n, `user-${n}`, `shop/li+${n}@example.com`][n % 3];
}

const secret = __ENV.INTERLOCK_LOAD_JWT_SECRET;

/** A token of the n-th customer, or '' without the secret. */
export function tokenOf(n) {
  if (!secret) return '';
  const part = (value) => encoding.b64encode(JSON.stringify(value), 'rawurl');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: customerOf(n), tenant: 'default', exp: 4102444800 })}`;
  return `${signed}.${crypto.hmac('sha256', secret, signed, 'base64rawurl')}`;
}

let mine = null;

/** The headers of the n-th customer, whose token a VU signs once; without the secret, of the API token that acts for it. */
export function customerHeaders(n) {
  if (!secret) return { Authorization: `Bearer ${__ENV.INTERLOCK_LOAD_TOKEN}`, 'X-On-Behalf-Of': `${customerOf(n)}` };
  if (mine === null || mine.n !== n) mine = { n, token: tokenOf(n) };
  return { Authorization: `Bearer ${mine.token}` };
}

export const serverErrors = new Counter('server_errors');
export const unavailable = new Counter('unavailable');
export const unexpectedReplies = new Counter('unexpected_replies');
export const incompleteConflicts = new Counter('incomplete_conflicts');

/** Thresholds of every scenario: a run with a fault of the service is never valid. */
export const replyThresholds = {
  server_errors: ['count==0'],
  unexpected_replies: ['count==0'],
  incomplete_conflicts: ['count==0'],
};

// A lost race is an expected reply, not a failed request.
http.setResponseCallback(http.expectedStatuses(200, 201, 202, 409, 412, 422, 423));

function params(name, headers) {
  return {
    headers: {
      Authorization: `Bearer ${__ENV.INTERLOCK_LOAD_TOKEN}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    // One series per route: URLs with ids would make one per row.
    tags: { name },
    timeout: '15s',
  };
}

export function get(path, name, headers) {
  return http.get(baseURL + path, params(name, headers));
}

export function post(path, body, name, headers) {
  return http.post(baseURL + path, JSON.stringify(body), params(name, headers));
}

export function patch(path, body, etag, name) {
  return http.patch(baseURL + path, JSON.stringify(body), params(name, { 'If-Match': etag }));
}

/** Sends all POSTs concurrently, each over one connection; `requests` is [{path, body, name, headers}]. */
export function postTogether(requests) {
  return http.batch(
    requests.map(({ path, body, name, headers }) => ['POST', baseURL + path, JSON.stringify(body), params(name, headers)]),
  );
}

/** The decoded body, or null when there is none or it is not JSON. */
export function decoded(response) {
  try {
    return response.json();
  } catch (_) {
    return null;
  }
}

/** The fate of a write according to its reply. */
export const Fate = Object.freeze({
  landed: 'landed',
  refused: 'refused', // it certainly did nothing
  unknown: 'unknown', // it may have landed: no reply, a server error, outcome_unknown
});

/**
 * Classifies the reply to a write and counts defects: 5xx other than 503, and any status that is
 * neither a success nor in `refusals`. Only a 503 other than outcome_unknown, or a reply in the
 * 400s, means that nothing changed.
 */
export function fateOf(response, refusals) {
  const { status } = response;
  if (status === 200 || status === 201 || status === 202) return Fate.landed;
  if (refusals.includes(status)) return Fate.refused;
  if (status === 503) {
    unavailable.add(1);
    return (decoded(response) || {}).code === 'outcome_unknown' ? Fate.unknown : Fate.refused;
  }
  report(response);
  return status >= 400 && status < 500 ? Fate.refused : Fate.unknown;
}

/** Reports whether a read succeeded; counts other replies like `fateOf`. */
export function readOk(response) {
  if (response.status === 200) return true;
  if (response.status === 503) unavailable.add(1);
  else report(response);
  return false;
}

let lines = 0;

/** Prints one line each from a few VUs; thousands of lines would be unreadable. */
function worthALine() {
  lines += 1;
  return lines === 1 && exec.vu.idInTest <= 5;
}

function report(response) {
  const { status } = response;
  if (status >= 500) serverErrors.add(1);
  else unexpectedReplies.add(1);
  if (!worthALine()) return;
  const said = status === 0 ? response.error : String(response.body).slice(0, 300);
  console.error(`${response.request.method} ${response.url} answered ${status}: ${said}`);
}

/** Counts a rejection with missing facts (see `owed` of each script). */
export function expectComplete(response, missing) {
  if (missing.length === 0) return;
  incompleteConflicts.add(1);
  if (!worthALine()) return;
  console.error(`${response.status} of ${response.url} lacks ${missing.join(', ')}: ${String(response.body).slice(0, 600)}`);
}

/** Every entry of a paged list, first page first. */
export function listAll(path, name) {
  const items = [];
  for (let cursor = ''; cursor !== null; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const response = get(path + query, name);
    if (!readOk(response)) throw new Error(`list ${path}: status ${response.status}`);
    const page = decoded(response);
    items.push(...page.items);
    cursor = page.nextCursor || null;
  }
  return items;
}

/** Creates a record that a run needs; a failure ends the run. */
export function create(path, body, name) {
  const response = post(path, body, name);
  if (response.status !== 201) {
    throw new Error(`create ${path}: status ${response.status}: ${String(response.body || response.error).slice(0, 300)}`);
  }
  return decoded(response);
}

/** Creates a user, signs it in, and returns it with a token that it created itself: no other user is behind it. */
export function createUser(username, roles) {
  const password = `load ${username} password`;
  const user = create('/users', { username, password, roles }, 'POST /users');
  const anonymous = { Authorization: '' };
  const session = decoded(post('/session', { username, password }, 'POST /session', anonymous));
  const made = post('/tokens', { name: username }, 'POST /tokens', { ...anonymous, 'X-CSRF-Token': session.csrfToken });
  if (made.status !== 201) throw new Error(`create the token of ${username}: status ${made.status}: ${String(made.body).slice(0, 300)}`);
  return { id: user.id, token: decoded(made).token };
}
