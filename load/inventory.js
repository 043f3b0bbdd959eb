// Racing orders: more callers order the last units of an item concurrently than there are units.
//
// Exactly one order per unit is placed; all other callers get 409 with the item that is short. The
// unit of a cancelled order can be ordered again, once.
// Proves G4.3.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8);
const pieces = Math.ceil(racers / 2);

const placed = new Counter('orders_placed');
const refused = new Counter('orders_refused');
const locked = new Counter('lock_not_had');
const unknown = new Counter('orders_unknown');
const oversold = new Counter('items_oversold');
const undersold = new Counter('items_undersold');
const brokenLedgers = new Counter('broken_ledgers');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    items_oversold: ['count==0'],
    items_undersold: ['count==0'],
    broken_ledgers: ['count==0'],
    orders_placed: ['count>0'],
    orders_refused: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  return { run: `STOCK-${newRunId()}-${phase}` };
}

export default function ({ run }) {
  const sku = `${run}-${exec.vu.idInTest}-${exec.vu.iterationInInstance}`;
  if (fateOf(post('/items', { sku, name: 'Last pieces', price: 1990 }, 'POST /items'), []) !== Fate.landed) return;
  const stocked = post(`/inventory/${sku}/adjustments`, { delta: pieces, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  if (fateOf(stocked, []) !== Fate.landed) return;

  const replies = postTogether([...Array(racers).keys()].map((i) => orderOf(sku, customerOf(i + 1))));
  const fates = replies.map((reply) => fateOf(reply, [409, 423]));
  const orders = replies.filter(({ status }) => status === 201).map(decoded);
  const unknowns = fates.filter((fate) => fate === Fate.unknown).length;
  const waiting = replies.filter(({ status }) => status === 423).length;
  placed.add(orders.length);
  unknown.add(unknowns);
  locked.add(waiting);
  if (orders.length > pieces) oversold.add(1);
  const undecided = unknowns + waiting + replies.filter(({ status }) => status === 503).length;
  if (orders.length + undecided < pieces) undersold.add(1);
  for (const reply of replies.filter(({ status }) => status === 409)) {
    refused.add(1);
    expectComplete(reply, owedByRefusal(reply, sku));
  }
  const cancelled = orders.length > 0 && cancel(orders[0]);
  judgeLedger(sku, orders.length - (cancelled ? 1 : 0), unknowns);
}

function orderOf(sku, userId) {
  return { path: '/orders', body: { userId, items: [{ sku, quantity: 1 }] }, name: 'POST /orders' };
}

/** Reports whether the order was cancelled. */
function cancel(order) {
  const reply = post(`/orders/${order.id}/cancel`, { reason: 'load run' }, 'POST /orders/{id}/cancel');
  return fateOf(reply, [423]) === Fate.landed;
}

/** Checks that the movements add up to the stock, and that the stock matches the replies. */
function judgeLedger(sku, live, unknowns) {
  const read = get(`/inventory/${sku}`, 'GET /inventory/{sku}');
  if (!readOk(read)) return;
  const { onHand, reserved, available, version } = decoded(read);
  const ledger = listAll(`/inventory/${sku}/movements`, 'GET /inventory/{sku}/movements');
  const sum = (name) => ledger.reduce((total, movement) => total + movement[name], 0);
  const broken = sum('onHandDelta') !== onHand || sum('reservedDelta') !== reserved || sum('delta') !== available
    || ledger.length !== version || onHand !== pieces || reserved < live || reserved > live + unknowns;
  if (!broken) return;
  brokenLedgers.add(1);
  console.error(`item ${sku}: ${onHand} on hand, ${reserved} reserved, ${live} live orders, ${ledger.length} movements`);
}

/** Returns the facts that a 409 must contain but does not. */
function owedByRefusal(response, sku) {
  const body = decoded(response) || {};
  const line = (body.lines || [])[0] || {};
  const owed = {
    'code insufficient_stock': body.code === 'insufficient_stock',
    'the line that is short': line.sku === sku && line.wanted === 1 && line.available === 0,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'inventory',
    title: 'Racing orders of the last units',
    promises: {
      items_oversold: 'items with more ordered units than stock',
      items_undersold: 'items with fewer ordered units than stock',
      broken_ledgers: 'items with movements that differ from the replies',
      incomplete_conflicts: 'rejections without the item that is short',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      orders_placed: 'orders placed',
      orders_refused: 'orders rejected with 409',
      lock_not_had: 'replies 423: the lock was not acquired in time',
      orders_unknown: 'orders with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
