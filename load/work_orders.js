// Racing agents: many claim one work order concurrently, and many claim the next one.
//
// Exactly one reply of a race is 200; all others are 409 with the holder. In addition, each caller
// opens a work order and claims the next: no two callers get the same one.
// Proves G2.7.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, createUser, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // as many users, each with a token

const claimed = new Counter('claims_won');
const refused = new Counter('claims_refused');
const taken = new Counter('next_taken');
const locked = new Counter('lock_not_had');
const unknown = new Counter('claims_unknown');
const doubled = new Counter('claims_doubled');
const lost = new Counter('claims_lost');
const brokenHistories = new Counter('broken_histories');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    claims_doubled: ['count==0'],
    claims_lost: ['count==0'],
    broken_histories: ['count==0'],
    claims_won: ['count>0'],
    claims_refused: ['count>0'],
    next_taken: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '60s',
};

export function setup() {
  const run = `${newRunId()}-${phase}`;
  const role = create('/roles', { name: `work orders ${run}`, permissions: ['work-orders:read', 'work-orders:write', 'tokens:write'] }, 'POST /roles');
  const agents = [...Array(racers).keys()].map((i) => createUser(`agent-${run}-${i}`, [role.name]));
  return { agents };
}

const as = ({ token }) => ({ Authorization: `Bearer ${token}` });

export default function ({ agents }) {
  const opened = post('/work-orders', { title: 'Raced', priority: ['low', 'normal', 'high', 'urgent'][exec.vu.iterationInInstance % 4] }, 'POST /work-orders');
  if (fateOf(opened, []) !== Fate.landed) return;
  if (exec.scenario.iterationInTest % 2 === 0) race(decoded(opened), agents);
  else takeTheNext(agents);
}

function race(order, agents) {
  const replies = postTogether(agents.map((agent) => ({
    path: `/work-orders/${order.id}/claim`, body: {}, name: 'POST /work-orders/{id}/claim', headers: as(agent),
  })));
  const fates = replies.map((reply) => fateOf(reply, [409]));
  const winners = agents.filter((_, i) => fates[i] === Fate.landed);
  const unknowns = fates.filter((fate) => fate === Fate.unknown).length;
  claimed.add(winners.length);
  unknown.add(unknowns);
  const read = get(`/work-orders/${order.id}`, 'GET /work-orders/{id}');
  if (!readOk(read)) return;
  const final = decoded(read);
  if (winners.length > 1) doubled.add(1);
  // An agent that claimed the next work order may have claimed this one before the race.
  if (winners.length === 1 && final.holder.id !== winners[0].id) lost.add(1);
  if (winners.length + unknowns === 0 && final.holder === null) lost.add(1);
  for (const reply of replies.filter(({ status }) => status === 409)) {
    refused.add(1);
    const body = decoded(reply) || {};
    expectComplete(reply, body.holder && body.holder.id === final.holder.id && body.current ? [] : ['the holder']);
  }
  const history = listAll(`/work-orders/${order.id}/history`, 'GET /work-orders/{id}/history');
  if (history.length !== final.version || history.filter(({ action }) => action === 'claim').length > 1) {
    brokenHistories.add(1);
    console.error(`work order ${order.id}: ${history.length} history rows for version ${final.version}`);
  }
}

/** All agents claim the next work order concurrently; each gets a different one, or 404 if none waits. */
function takeTheNext(agents) {
  const replies = postTogether(agents.slice(0, 2).map((agent) => ({
    path: '/work-orders/claim-next', body: undefined, name: 'POST /work-orders/claim-next', headers: as(agent),
  })));
  const given = replies.filter((reply) => fateOf(reply, [404, 423]) === Fate.landed).map(decoded);
  locked.add(replies.filter(({ status }) => status === 423).length);
  taken.add(given.length);
  if (new Set(given.map(({ id }) => id)).size !== given.length) doubled.add(1);
  for (const order of given) {
    const history = listAll(`/work-orders/${order.id}/history`, 'GET /work-orders/{id}/history');
    if (history.filter(({ action }) => action === 'claim').length !== 1) doubled.add(1);
  }
}

export function handleSummary(data) {
  return summary(data, {
    name: 'work_orders',
    title: 'Racing claims of work orders',
    promises: {
      claims_doubled: 'work orders claimed by two agents',
      claims_lost: 'claims that are not stored',
      broken_histories: 'work orders without one history row per version',
      incomplete_conflicts: 'rejections without the holder',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      claims_won: 'claims won',
      claims_refused: 'claims rejected with 409',
      next_taken: 'work orders claimed as the next',
      lock_not_had: 'replies 423: the lock was not acquired in time',
      claims_unknown: 'claims with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
