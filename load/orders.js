// Racing transitions: pay and cancel are sent to the same order at the same instant.
//
// Each status may be left only once. So the replies that say 200 carry the versions 2, 3, … up to the
// order's last one, each exactly once, along a path that the machine has; everyone else gets 409 and
// is told what the order is now and who made it so.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // half of them pay, half cancel

const machine = {
  pay: { from: ['pending'], to: 'paid' },
  cancel: { from: ['pending', 'paid'], to: 'cancelled' },
};

const won = new Counter('transitions_won');
const refused = new Counter('transitions_refused');
const unknown = new Counter('transitions_unknown');
const doubled = new Counter('transitions_doubled');
const lost = new Counter('transitions_lost');
const brokenHistories = new Counter('broken_histories');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    transitions_doubled: ['count==0'],
    transitions_lost: ['count==0'],
    broken_histories: ['count==0'],
    // A run without winners or without losers is no race.
    transitions_won: ['count>0'],
    transitions_refused: ['count>0'],
  },
  // By default k6 sends at most six requests of a batch at a time to one host: no race of more.
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const sku = `LOAD-${newRunId()}-${phase}`;
  create('/items', { sku, name: 'Raced item', price: 1990 }, 'POST /items');
  return { sku };
}

export default function ({ sku }) {
  const created = post('/orders', { userId: exec.vu.idInTest, items: [{ sku, quantity: 1 }] }, 'POST /orders');
  if (fateOf(created, []) !== Fate.landed) return;
  const order = decoded(created);
  const requests = raceOn(order);
  const replies = postTogether(requests);
  judge(order, requests.map((request, i) => ({ ...request, response: replies[i] })));
}

function raceOn(order) {
  return [...Array(racers).keys()].map((i) => {
    // Who is sent first alternates, or the same action would always win.
    const pays = (i + exec.scenario.iterationInTest) % 2 === 0;
    return {
      action: pays ? 'pay' : 'cancel',
      path: `/orders/${order.id}/${pays ? 'pay' : 'cancel'}`,
      body: pays
        ? { method: 'external', reference: `load-${order.id}-${i}` }
        : { reason: `load run, racer ${i}` },
      name: pays ? 'POST /orders/{id}/pay' : 'POST /orders/{id}/cancel',
    };
  });
}

function judge(order, race) {
  const fates = race.map((racer) => ({ ...racer, fate: fateOf(racer.response, [409]) }));
  const winners = fates.filter(({ fate }) => fate === Fate.landed)
    .map(({ action, response }) => ({ action, ...decoded(response) }))
    .sort((a, b) => a.version - b.version);
  const unknowns = fates.filter(({ fate }) => fate === Fate.unknown).length;
  won.add(winners.length);
  unknown.add(unknowns);

  const read = get(`/orders/${order.id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const final = decoded(read);

  const reached = ['paid', 'cancelled'];
  for (const { response } of fates.filter(({ response: { status } }) => status === 409)) {
    refused.add(1);
    expectComplete(response, owedByConflict(response, reached));
  }
  if (unknowns === 0) settle(order, winners, final);
  else settleWithUnknown(winners, unknowns, order, final);
}

/** Books a race all of whose replies are known: winners and versions must match one to one. */
function settle(order, winners, final) {
  const versions = winners.map(({ version }) => version - order.version);
  const distinct = new Set(versions).size;
  doubled.add(winners.length - distinct);

  let status = order.status;
  for (const winner of winners) {
    if (!machine[winner.action].from.includes(status)) doubled.add(1);
    status = machine[winner.action].to;
  }
  const steps = final.version - order.version;
  if (winners.length === 0 || steps < distinct || final.status !== status) lost.add(1);
  if (steps > distinct) doubled.add(steps - distinct);

  const history = listAll(`/orders/${order.id}/history`, 'GET /orders/{id}/history');
  if (history.length !== final.version) {
    brokenHistories.add(1);
    console.error(`order ${order.id}: ${history.length} history rows for version ${final.version}`);
  }
}

/** With outcomes unknown, winners <= steps <= winners + unknowns is all that can be asked. */
function settleWithUnknown(winners, unknowns, order, final) {
  const steps = final.version - order.version;
  if (steps < winners.length) lost.add(winners.length - steps);
  if (steps > winners.length + unknowns) doubled.add(steps - winners.length - unknowns);
}

/** What a 409 must tell the loser and does not. */
function owedByConflict(response, reached) {
  const body = decoded(response) || {};
  const owed = {
    'code transition_not_allowed or status_changed': ['transition_not_allowed', 'status_changed'].includes(body.code),
    [`currentStatus ${reached.join(' or ')}`]: reached.includes(body.currentStatus),
    allowedTransitions: Array.isArray(body.allowedTransitions),
    'changedBy.name': Boolean(body.changedBy && body.changedBy.name),
    changedTime: Boolean(body.changedTime),
    current: Boolean(body.current && body.current.orderNo),
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'orders',
    title: 'Racing transitions on orders',
    promises: {
      transitions_doubled: 'transitions done twice, or not along the machine',
      transitions_lost: 'races without a winner, or whose winner the store does not show',
      broken_histories: 'orders whose history is not one row a version',
      incomplete_conflicts: 'refusals that do not say what the order is now and who made it so',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      transitions_won: 'transitions won',
      transitions_refused: 'racers refused with 409',
      transitions_unknown: 'transitions of unknown outcome',
      unavailable: '503 replies',
    },
  });
}
