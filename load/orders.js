// Racing transitions: ship and cancel are sent to the same paid order at the same instant.
//
// Both lead out of paid, and neither is possible after the other (the customer has the shipped units),
// so of each race exactly one reply is 200; everyone else gets 409 and is told what the order is now and
// who made it so.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // half of them ship, half cancel

const leadsTo = { ship: 'shipped', cancel: 'cancelled' };

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
  create(`/inventory/${sku}/adjustments`, { delta: 1e9, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  return { sku };
}

export default function ({ sku }) {
  const created = post('/orders', { userId: customerOf(exec.vu.idInTest), items: [{ sku, quantity: 1 }] }, 'POST /orders');
  if (fateOf(created, []) !== Fate.landed) return;
  const paid = post(`/orders/${decoded(created).id}/pay`, { method: 'external', reference: decoded(created).orderNo }, 'POST /orders/{id}/pay');
  if (fateOf(paid, []) !== Fate.landed) return;
  const order = decoded(paid);
  const requests = raceOn(order);
  const replies = postTogether(requests);
  judge(order, requests.map((request, i) => ({ ...request, response: replies[i] })));
}

function raceOn(order) {
  return [...Array(racers).keys()].map((i) => {
    // Who is sent first alternates, or the same action would always win.
    const ships = (i + exec.scenario.iterationInTest) % 2 === 0;
    return {
      action: ships ? 'ship' : 'cancel',
      path: `/orders/${order.id}/${ships ? 'ship' : 'cancel'}`,
      body: ships
        ? { carrier: 'DHL', trackingNo: `load-${order.id}-${i}` }
        : { reason: `load run, racer ${i}` },
      name: ships ? 'POST /orders/{id}/ship' : 'POST /orders/{id}/cancel',
    };
  });
}

/** Books who won and who was refused, and compares with what the store shows. */
function judge(order, race) {
  const judged = race.map((racer) => ({ ...racer, fate: fateOf(racer.response, [409]) }));
  const winners = judged.filter(({ fate }) => fate === Fate.landed);
  const unknowns = judged.filter(({ fate }) => fate === Fate.unknown).length;
  won.add(winners.length);
  unknown.add(unknowns);

  const read = get(`/orders/${order.id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const final = decoded(read);
  const steps = final.version - order.version;

  // winners <= steps <= winners + unknowns, and one step is all that the machine allows.
  if (winners.length > 1 || steps > Math.min(1, winners.length + unknowns)) doubled.add(1);
  if (steps < winners.length || winners.some(({ action }) => leadsTo[action] !== final.status)) lost.add(1);
  // Where every reply was a refusal, the order was left to nobody.
  if (judged.every(({ response }) => response.status === 409)) lost.add(1);

  for (const { response } of judged.filter(({ response: { status } }) => status === 409)) {
    refused.add(1);
    expectComplete(response, owedByConflict(response, final));
  }
  const history = listAll(`/orders/${order.id}/history`, 'GET /orders/{id}/history');
  if (history.length !== final.version) {
    brokenHistories.add(1);
    console.error(`order ${order.id}: ${history.length} history rows for version ${final.version}`);
  }
}

/** What a 409 must tell the loser and does not. */
function owedByConflict(response, final) {
  const body = decoded(response) || {};
  const owed = {
    'code transition_not_allowed or status_changed': ['transition_not_allowed', 'status_changed'].includes(body.code),
    [`currentStatus ${final.status}`]: body.currentStatus === final.status,
    allowedTransitions: Array.isArray(body.allowedTransitions),
    'changedBy.name': Boolean(body.changedBy && body.changedBy.name),
    changedTime: Boolean(body.changedTime),
    current: Boolean(body.current) && body.current.version === final.version,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'orders',
    title: 'Racing transitions on orders',
    promises: {
      transitions_doubled: 'races with more than one winner',
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
