// Racing shipments: parcels of one paid order are sent concurrently, with more units than ordered,
// while another caller cancels the order.
//
// Either the cancellation is first and no parcel is shipped, or parcels are shipped until the
// remaining units are too few and the order is not cancelled. The parcels never have more units than
// ordered, and the order counts the units of its parcels.
// Proves G4.50.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // one of them cancels
const each = 2; // units of a parcel
const ordered = (racers - 2) * each - 1; // for one parcel less than is sent, and a unit

const sent = new Counter('parcels_sent');
const refused = new Counter('parcels_refused');
const cancelled = new Counter('orders_cancelled');
const locked = new Counter('lock_not_had');
const unknown = new Counter('parcels_unknown');
const exceeded = new Counter('orders_exceeded');
const broken = new Counter('broken_orders');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    orders_exceeded: ['count==0'],
    broken_orders: ['count==0'],
    // A run without a parcel, a rejection or a cancellation has no race.
    parcels_sent: ['count>0'],
    parcels_refused: ['count>0'],
    orders_cancelled: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const sku = `LOAD-${newRunId()}-${phase}`;
  create('/items', { sku, name: 'Shipped item', price: 1990 }, 'POST /items');
  create(`/inventory/${sku}/adjustments`, { delta: 1e9, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  return { sku };
}

export default function ({ sku }) {
  const placed = post('/orders', { userId: customerOf(exec.vu.idInTest), items: [{ sku, quantity: ordered }] }, 'POST /orders');
  if (fateOf(placed, [423]) !== Fate.landed) return;
  const paid = post(`/orders/${decoded(placed).id}/pay`, { method: 'external', reference: decoded(placed).orderNo }, 'POST /orders/{id}/pay');
  if (fateOf(paid, []) !== Fate.landed) return;
  race(decoded(paid));
}

function race(order) {
  const canceller = exec.scenario.iterationInTest % racers;
  const replies = postTogether([...Array(racers).keys()].map((i) => i === canceller
    ? { path: `/orders/${order.id}/cancel`, body: { reason: 'load run' }, name: 'POST /orders/{id}/cancel' }
    : {
      path: `/orders/${order.id}/shipments`,
      body: { lines: [{ lineId: 1, quantity: each }], carrier: 'DHL', trackingNo: `load-${order.id}-${i}` },
      name: 'POST /orders/{id}/shipments',
    }));
  const fates = replies.map((reply) => fateOf(reply, [409, 422, 423]));
  const made = replies.filter((_, i) => i !== canceller && fates[i] === Fate.landed).map(decoded);
  const unknowns = fates.filter((fate) => fate === Fate.unknown).length;
  sent.add(made.length);
  unknown.add(unknowns);
  locked.add(replies.filter(({ status }) => status === 423).length);
  if (fates[canceller] === Fate.landed) cancelled.add(1);
  replies.forEach((reply, i) => {
    if (reply.status !== 409 && reply.status !== 422) return;
    if (i !== canceller) refused.add(1);
    expectComplete(reply, reply.status === 409 ? owedByConflict(reply) : owedByRefusal(reply));
  });
  judge(order, made, unknowns, fates[canceller]);
}

/** Returns the facts that a 409 must contain but does not. */
function owedByConflict(response) {
  const body = decoded(response) || {};
  const owed = {
    'code transition_not_allowed, status_changed or nothing_to_ship': ['transition_not_allowed', 'status_changed', 'nothing_to_ship'].includes(body.code),
    currentStatus: Boolean(body.currentStatus),
    allowedTransitions: Array.isArray(body.allowedTransitions),
    'changedBy.name': Boolean(body.changedBy && body.changedBy.name),
    current: Boolean(body.current),
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

/** Returns the facts that a 422 for too many units must contain but does not. */
function owedByRefusal(response) {
  const fields = (decoded(response) || {}).fields || [];
  return fields.some(({ pointer }) => pointer === '/lines/0/quantity') ? [] : ['a field /lines/0/quantity'];
}

/** Compares the order with its parcels and with the replies. */
function judge(order, made, unknowns, cancellation) {
  const read = get(`/orders/${order.id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const final = decoded(read);
  const parcels = listAll(`/orders/${order.id}/shipments`, 'GET /orders/{id}/shipments');
  const units = parcels.flatMap(({ lines }) => lines).reduce((sum, { quantity }) => sum + quantity, 0);
  if (units > ordered) exceeded.add(1);
  const stored = parcels.map(({ id }) => id);
  const wrong = [
    units !== final.items[0].shipped && `${units} units in parcels and ${final.items[0].shipped} shipped`,
    made.some(({ id }) => !stored.includes(id)) && 'a parcel of a reply is not stored',
    stored.length > made.length + unknowns && `${stored.length} parcels and ${made.length} replies`,
    final.status === 'cancelled' && units > 0 && 'cancelled with shipped units',
    cancellation === Fate.landed && final.status !== 'cancelled' && 'a cancellation is lost',
  ].filter(Boolean);
  if (wrong.length === 0) return;
  broken.add(1);
  console.error(`order ${order.id}: ${wrong.join('; ')}`);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'shipments',
    title: 'Racing shipments of one order',
    promises: {
      orders_exceeded: 'orders with more shipped than ordered units',
      broken_orders: 'orders that differ from their parcels or from the replies',
      incomplete_conflicts: 'rejections without the current order or the error',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      parcels_sent: 'parcels sent',
      parcels_refused: 'parcels rejected with 409 or 422',
      orders_cancelled: 'orders cancelled',
      lock_not_had: '423 replies',
      parcels_unknown: 'parcels with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
