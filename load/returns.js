// Racing parcels, returns and cancellations: the units of one paid order are shipped, returned and
// cancelled concurrently, and then several callers receive or reject each return.
//
// At any time each line has ordered = to ship + shipped + cancelled units, and at least as many shipped
// as returned ones. A cancelled order has no unit at the customer and owes no amount to either side. Of
// the callers that receive or reject one return, one is successful.
// Proves G4.50, G4.62.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // one of them cancels
const price = 1000;
const ordered = [4, 2]; // units of each line
const perReturn = 3; // callers for each return

const shipped = new Counter('parcels_sent');
const requested = new Counter('returns_requested');
const ended = new Counter('returns_ended');
const cancelled = new Counter('orders_cancelled');
const rejected = new Counter('requests_rejected');
const locked = new Counter('lock_not_acquired');
const unknown = new Counter('requests_unknown');
const wrongUnits = new Counter('lines_wrong');
const owing = new Counter('cancelled_orders_owing');
const doubled = new Counter('returns_doubled');
const lost = new Counter('returns_lost');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    lines_wrong: ['count==0'],
    cancelled_orders_owing: ['count==0'],
    returns_doubled: ['count==0'],
    returns_lost: ['count==0'],
    // A run without one of these has no race.
    parcels_sent: ['count>0'],
    returns_requested: ['count>0'],
    returns_ended: ['count>0'],
    orders_cancelled: ['count>0'],
    requests_rejected: ['count>0'],
  },
  batch: 2 * racers,
  batchPerHost: 2 * racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = `${newRunId()}-${phase}`;
  const skus = ordered.map((_, i) => `LOAD-${run}-${i}`);
  for (const sku of skus) {
    create('/items', { sku, name: 'Returned item', price }, 'POST /items');
    create(`/inventory/${sku}/adjustments`, { delta: 1e9, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  }
  return { skus };
}

export default function ({ skus }) {
  const items = skus.map((sku, i) => ({ sku, quantity: ordered[i] }));
  const placed = post('/orders', { userId: customerOf(exec.vu.idInTest), items }, 'POST /orders');
  if (fateOf(placed, [423]) !== Fate.landed) return;
  const { id, orderNo } = decoded(placed);
  if (fateOf(post(`/orders/${id}/pay`, { method: 'external', reference: orderNo }, 'POST /orders/{id}/pay'), []) !== Fate.landed) return;
  // Returns need units at the customer, and a cancellation needs none: in two of three races some
  // units are shipped before the race, and in one of these all of them are returned, without further
  // parcels.
  const turn = exec.scenario.iterationInTest % 3;
  if (turn > 0) send([parcel(id, 0)]);
  if (turn === 2) send([sendBack(id)]);
  else race(id, [...Array(racers - 1).keys()].map((i) => (i % 2 === 0 ? parcel(id, i) : sendBack(id))));
  const returns = listAll(`/returns?orderId=${id}`, 'GET /returns').filter(({ status }) => status === 'requested');
  if (turn === 2) {
    race(id, returns.flatMap((row) => endings(row).slice(1)));
    race(id, []); // all units came back, so it is cancelled now at the latest
  } else race(id, [sendBack(id), ...returns.flatMap((row) => endings(row))]);
  judgeReturns(id, returns);
}

/** One unit of each line. */
const oneOfEach = ordered.map((_, i) => ({ lineId: i + 1, quantity: 1 }));

function parcel(id, i) {
  return {
    path: `/orders/${id}/shipments`, name: 'POST /orders/{id}/shipments', counter: shipped,
    body: { lines: oneOfEach, carrier: 'DHL', trackingNo: `load-${id}-${i}` },
  };
}

function sendBack(id) {
  return {
    path: `/orders/${id}/returns`, name: 'POST /orders/{id}/returns', counter: requested,
    body: { lines: oneOfEach, reason: 'load run' },
  };
}

function cancellation(id) {
  return { path: `/orders/${id}/cancel`, name: 'POST /orders/{id}/cancel', counter: cancelled, body: { reason: 'load run' } };
}

/** The requests that end one return: a rejection and receipts. One of them is successful. */
function endings({ id }) {
  return [...Array(perReturn).keys()].map((i) => (i === 0
    ? { path: `/returns/${id}/reject`, name: 'POST /returns/{id}/reject', counter: ended, body: { reason: 'load run' }, of: id }
    : {
      path: `/returns/${id}/receive`, name: 'POST /returns/{id}/receive', counter: ended, of: id,
      body: { lines: oneOfEach.map((line) => ({ ...line, restock: i === 1 })) },
    }));
}

/** Sends the requests and a cancellation concurrently, and checks the order. */
function race(id, requests) {
  const at = exec.scenario.iterationInTest % (requests.length + 1);
  send([...requests.slice(0, at), cancellation(id), ...requests.slice(at)]);
  judge(id);
}

/**
 * Sends all requests concurrently and counts the replies. More than one success for one return is a
 * defect.
 */
function send(requests) {
  const successes = {};
  postTogether(requests).forEach((reply, i) => {
    const { counter, of } = requests[i];
    const fate = fateOf(reply, [409, 422, 423]);
    if (fate === Fate.landed) counter.add(1);
    if (fate === Fate.unknown) unknown.add(1);
    if (reply.status === 423) locked.add(1);
    if (reply.status === 409 || reply.status === 422) {
      rejected.add(1);
      expectComplete(reply, reply.status === 409 ? owedByConflict(reply) : owedByRejection(reply));
    }
    if (of && fate === Fate.landed) successes[of] = (successes[of] || 0) + 1;
  });
  doubled.add(Object.values(successes).filter((n) => n > 1).length);
}

/** The members that a 409 lacks. */
function owedByConflict(response) {
  const body = decoded(response) || {};
  const owed = {
    'code transition_not_allowed, status_changed or nothing_to_ship': ['transition_not_allowed', 'status_changed', 'nothing_to_ship'].includes(body.code),
    currentStatus: Boolean(body.currentStatus),
    'changedBy.name': Boolean(body.changedBy && body.changedBy.name),
    current: Boolean(body.current),
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

/** Returns the missing field of a 422 for more units than there are. */
function owedByRejection(response) {
  const fields = (decoded(response) || {}).fields || [];
  return fields.some(({ pointer }) => /^\/lines\/\d\/quantity$/.test(pointer)) ? [] : ['a field /lines/<i>/quantity'];
}

/** Checks the units of each line, and the money of a cancelled order. */
function judge(id) {
  const read = get(`/orders/${id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const order = decoded(read);
  const isCancelled = order.status === 'cancelled';
  order.items.forEach((line, i) => {
    const units = line.toShip + line.shipped; // the others were cancelled
    const right = line.quantity === ordered[i] && line.shipped >= line.returned
      && (isCancelled ? line.toShip === 0 && line.shipped === line.returned && units <= ordered[i] : units === ordered[i]);
    if (right) return;
    wrongUnits.add(1);
    console.error(`order ${id} is ${order.status}: ${JSON.stringify(line)}`);
  });
  if (!isCancelled) return;
  if (order.due === 0 && order.refundable === 0 && order.refundReserved + order.refunded === order.paid) return;
  owing.add(1);
  console.error(`order ${id} is cancelled: ${order.due} due, ${order.paid} paid, ${order.refundReserved} reserved, ${order.refunded} refunded`);
}

/** Compares the returns with the returned units of their order: received ones have all units back, the others none. */
function judgeReturns(id, raced) {
  const rows = listAll(`/returns?orderId=${id}`, 'GET /returns');
  const read = get(`/orders/${id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  decoded(read).items.forEach((line, i) => {
    const back = rows.flatMap(({ lines }) => lines.filter(({ lineId }) => lineId === i + 1));
    const received = back.reduce((sum, { received: units }) => sum + units, 0);
    if (received === line.returned) return;
    lost.add(1);
    console.error(`order ${id}, line ${i + 1}: ${line.returned} units returned, its returns received ${received}`);
  });
  const waiting = raced.filter((row) => rows.some((now) => now.id === row.id && now.status === 'requested'));
  // Without a lock in time, each caller of a return gets 423, and it stays requested.
  if (waiting.length > 0) console.warn(`order ${id}: ${waiting.length} returns are still requested`);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'returns',
    title: 'Racing parcels, returns and cancellations of one order',
    promises: {
      lines_wrong: 'lines with more or fewer units than ordered, or more returned than shipped ones',
      cancelled_orders_owing: 'cancelled orders that owe an amount',
      returns_doubled: 'returns that were received or rejected more than once',
      returns_lost: 'lines whose returned units are not those of their returns',
      incomplete_conflicts: 'rejections without the current state, or without the field',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      parcels_sent: 'parcels sent',
      returns_requested: 'returns requested',
      returns_ended: 'returns received or rejected',
      orders_cancelled: 'orders cancelled',
      requests_rejected: 'requests rejected with 409 or 422',
      lock_not_acquired: 'replies 423: the lock was not acquired in time',
      requests_unknown: 'requests of unknown outcome',
      unavailable: '503 replies',
    },
  });
}
