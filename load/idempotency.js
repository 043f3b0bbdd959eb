// Impatient callers: each request is sent several times concurrently under one idempotency key,
// again after the reply, and then with another body.
//
// The requests create campaigns and orders; only the key prevents duplicates. One of the copies has
// the effect, and all replies with the effect are identical to the byte; the other copies get 409
// request_in_progress. Another body under the key is rejected.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, newRunId, post, postTogether, replyThresholds } from './lib/api.js';
import { latencyThreshold, loopThresholds, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const copies = Number(__ENV.INTERLOCK_LOAD_COPIES || 4);
/** The maximum number of repeats of a request. */
const patience = 20;
const things = 16;
const firstName = 'POST first';
const againName = 'POST again';
const otherName = 'POST other body';

const effects = new Counter('effects');
const replays = new Counter('replays');
const inProgress = new Counter('in_progress');
const unknown = new Counter('unknown_outcomes');
const doubleEffects = new Counter('double_effects');
const wrongReplays = new Counter('wrong_replays');
const wrongReuses = new Counter('wrong_reuses');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    ...latencyThreshold(againName),
    double_effects: ['count==0'],
    wrong_replays: ['count==0'],
    wrong_reuses: ['count==0'],
    effects: ['count>0'],
    replays: ['count>0'],
  },
  batch: copies,
  batchPerHost: copies,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = newRunId();
  const skus = [...Array(things).keys()].map((i) => `keyed-${run}-${i}`);
  for (const sku of skus) {
    create('/items', { sku, name: 'Sent again', price: 1990 }, 'POST /items');
    create(`/inventory/${sku}/adjustments`, { delta: 1e6, reason: 'for the load', reference: 'opening' }, 'POST /inventory');
  }
  return { run, skus };
}

/** Returns the request under a key, and a different request for the same key. */
function request(run, skus) {
  const n = `${exec.scenario.name}-${exec.scenario.iterationInTest}`;
  const key = `keyed-${run}-${n}`;
  if (exec.scenario.iterationInTest % 2 === 0) {
    const campaign = {
      name: key, kind: 'amount', value: 500, minimumAmount: 0, total: 10, perUser: 1,
      validFrom: '2020-01-01T00:00:00Z', validTo: '2100-01-01T00:00:00Z',
    };
    return { path: '/coupon-campaigns', key, body: campaign, other: { ...campaign, value: 501 } };
  }
  const sku = skus[Math.floor(Math.random() * skus.length)];
  const customer = Math.floor(Math.random() * 1e9);
  const order = { userId: customerOf(customer), items: [{ sku, quantity: 1 }] };
  return { path: '/orders', key, body: order, other: { ...order, userId: customerOf(customer + 1) } };
}

export default function ({ run, skus }) {
  const { path, key, body, other } = request(run, skus);
  const headers = { 'X-Idempotency-Key': key };
  const together = postTogether([...Array(copies)].map(() => ({ path, body, name: firstName, headers })));
  const answers = together.filter(answered);
  if (answers.filter((reply) => !isReplay(reply)).length > 1) count(doubleEffects, `${key} had ${answers.length} effects`);

  const last = untilAnswered(() => post(path, body, againName, headers));
  if (!last) return;
  if (!isReplay(last) && answers.length > 0) count(doubleEffects, `${key} was done again`);
  for (const reply of answers) {
    if (reply.body !== last.body || reply.headers.Location !== last.headers.Location) {
      count(wrongReplays, `${key} was answered ${reply.body} and ${last.body}`);
    }
  }
  reuse(() => post(path, other, otherName, headers), key);
}

const isReplay = (reply) => reply.headers['X-Idempotency-Replay'] === 'true';

/** Reports whether a reply contains the effect; counts the other replies by kind. */
function answered(reply) {
  const fate = fateOf(reply, [409]);
  if (fate === Fate.landed) {
    (isReplay(reply) ? replays : effects).add(1);
    return true;
  }
  if (reply.status === 409) {
    inProgress.add(1);
    const owed = (decoded(reply) || {}).code === 'request_in_progress' && reply.headers['Retry-After'];
    expectComplete(reply, owed ? [] : ['request_in_progress with Retry-After']);
  } else if (fate === Fate.unknown) {
    unknown.add(1);
  }
  return false;
}

function untilAnswered(send) {
  for (let n = 0; n < patience; n += 1) {
    const reply = send();
    if (answered(reply)) return reply;
  }
  return null;
}

function reuse(send, key) {
  const reply = send();
  if (fateOf(reply, [422]) === Fate.refused && (decoded(reply) || {}).code === 'idempotency_key_reused') return;
  if (reply.status === 503) return;
  count(wrongReuses, `another body under ${key} was answered ${reply.status} ${reply.body}`);
}

function count(counter, what) {
  counter.add(1);
  console.error(what);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'idempotency',
    title: `Requests sent ${copies} times at once, and again`,
    promises: {
      double_effects: 'keys with two effects',
      wrong_replays: 'replies to one key that differ',
      wrong_reuses: 'keys that accepted another body',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      incomplete_conflicts: 'rejections without the time of the next attempt',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      effects: 'requests done',
      replays: 'repeats with the stored reply',
      in_progress: 'repeats during the first request',
      unknown_outcomes: 'requests with unknown outcome, retried',
      unavailable: '503 replies',
    },
  });
}
