// Racing transitions: ship and cancel are sent to the same paid order concurrently.
//
// Both start from paid, and each excludes the other (the customer has the shipped units), so exactly
// one reply of each race is 200. All other callers get 409 with the current order and the author of
// its status.

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
    // A run without winners or without losers has no race.
    transitions_won: ['count>0'],
    transitions_refused: ['count>0'],
  },
  // By default k6 sends at most six requests of a batch concurrently to one host, too few for a
  // race.
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
    // The order of sending alternates, so that not always the same action wins.
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

/** Counts the winners and the rejections, and compares them with the stored state. */
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

  // winners <= steps <= winners + unknowns, and the status machine permits only one step.
  if (winners.length > 1 || steps > Math.min(1, winners.length + unknowns)) doubled.add(1);
  if (steps < winners.length || winners.some(({ action }) => leadsTo[action] !== final.status)) lost.add(1);
  // If every reply is a rejection, no caller has won.
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

/** Returns the facts that a 409 must contain but does not. */
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
      transitions_lost: 'races without a winner, or with a winner that is not stored',
      broken_histories: 'orders without one history row per version',
      incomplete_conflicts: 'rejections without the current order and its author',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      transitions_won: 'transitions won',
      transitions_refused: 'racers rejected with 409',
      transitions_unknown: 'transitions with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
