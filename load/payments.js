// Racing callbacks of a payment provider: one payment is recorded many times at the same instant, for
// two orders, and then the other order receives a payment from each racer.
//
// One reference pays one order. One of its requests is 201, the others of that order are 200 with the
// same payment, and those of the other order are 409 with the payment in `first`. Of the payments with
// different references, one pays the order and is 201; all others are 202 and wait in the inbox. No
// received money is lost, and no order is paid twice.
// Proves G4.10, G4.41.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // half of them for each order
const price = 1000;

const recorded = new Counter('payments_recorded');
const repeated = new Counter('payments_repeated');
const mismatched = new Counter('payments_mismatched');
const unmatched = new Counter('payments_unmatched');
const locked = new Counter('lock_not_acquired');
const unknown = new Counter('payments_unknown');
const doubled = new Counter('payments_doubled');
const lost = new Counter('payments_lost');
const wrongOrders = new Counter('orders_wrong');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    payments_doubled: ['count==0'],
    payments_lost: ['count==0'],
    orders_wrong: ['count==0'],
    payments_recorded: ['count>0'],
    payments_repeated: ['count>0'],
    payments_mismatched: ['count>0'],
    payments_unmatched: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = `${newRunId()}-${phase}`;
  const sku = `LOAD-${run}`;
  create('/items', { sku, name: 'Paid item', price }, 'POST /items');
  create(`/inventory/${sku}/adjustments`, { delta: 1e9, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  return { run, sku };
}

export default function ({ run, sku }) {
  const orders = [place(sku), place(sku)];
  if (orders.includes(null)) return;
  const prefix = `pi_${run}_${exec.scenario.name}_${exec.scenario.iterationInTest}_`;
  const paid = raceWithOneReference(orders, `${prefix}one`);
  if (paid) raceWithReferences(orders.find(({ id }) => id !== paid), `${prefix}each_`);
}

function place(sku) {
  const placed = post('/orders', { userId: customerOf(exec.vu.idInTest), items: [{ sku, quantity: 1 }] }, 'POST /orders');
  return fateOf(placed, [423]) === Fate.landed ? decoded(placed) : null;
}

/** Records a payment of the i-th order for each of [[i, reference]] concurrently, and counts the replies. */
function receive(requests, orders) {
  const replies = postTogether(requests.map(([i, reference]) => ({
    path: `/orders/${orders[i].id}/payments`,
    body: { method: 'external', provider: 'stripe', reference, amount: price },
    name: 'POST /orders/{id}/payments',
  })));
  const count = (status) => replies.filter((reply) => reply.status === status).length;
  const unknowns = replies.filter((reply) => fateOf(reply, [409, 423]) === Fate.unknown).length;
  recorded.add(count(201));
  repeated.add(count(200));
  mismatched.add(count(409));
  unmatched.add(count(202));
  locked.add(count(423));
  unknown.add(unknowns);
  return { replies, count, unknowns };
}

/** Sends one payment for both orders, and returns the id of the order that it paid. */
function raceWithOneReference(orders, reference) {
  const turn = exec.scenario.iterationInTest % 2; // the order of the first request alternates
  const requests = [...Array(racers).keys()].map((i) => [(i + turn) % 2, reference]);
  const { replies, count, unknowns } = receive(requests, orders);
  const stored = listAll(`/payments?q=${reference}`, 'GET /payments');
  if (stored.length > 1 || count(201) > 1 || count(202) > 0) doubled.add(1);
  if (stored.length < Math.min(1, count(201)) || (stored.length === 1 && count(201) + unknowns === 0)) lost.add(1);
  if (stored.length !== 1) return null;
  const [payment] = stored;
  replies.forEach((reply, i) => {
    const ofPaidOrder = orders[requests[i][0]].id === payment.orderId;
    if (reply.status === 409) expectComplete(reply, ofPaidOrder ? ['the status 200 of a repeat'] : owedByMismatch(reply, payment));
    if (reply.status !== 201 && reply.status !== 200) return;
    if (!ofPaidOrder || decoded(reply).id !== payment.id) doubled.add(1);
  });
  for (const { id } of orders) expectPaid(id, id === payment.orderId ? price : 0);
  return payment.orderId;
}

/** The members that a 409 lacks. */
function owedByMismatch(response, payment) {
  const body = decoded(response) || {};
  const owed = {
    'code payload_mismatch': body.code === 'payload_mismatch',
    'the payment as first': Boolean(body.first) && body.first.id === payment.id,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

/** Sends a separate payment from each racer for one order: one of them pays it. */
function raceWithReferences(order, prefix) {
  const { count, unknowns } = receive([...Array(racers).keys()].map((i) => [0, `${prefix}${i}`]), [order]);
  const stored = listAll(`/payments?q=${prefix}`, 'GET /payments');
  const applied = stored.filter(({ status }) => status === 'applied').length;
  const waiting = stored.filter(({ status, reason }) => status === 'unmatched' && reason).length;
  if (applied > 1 || count(201) > 1 || stored.length > count(201) + count(202) + unknowns) doubled.add(1);
  if (applied < count(201) || waiting < count(202) || stored.length !== applied + waiting) lost.add(1);
  expectPaid(order.id, applied * price);
}

function expectPaid(id, amount) {
  const read = get(`/orders/${id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const { paid, due, paymentStatus, status } = decoded(read);
  const right = paid === amount && due === price - amount
    && paymentStatus === (amount > 0 ? 'paid' : 'unpaid') && status === (amount > 0 ? 'paid' : 'pending');
  if (right) return;
  wrongOrders.add(1);
  console.error(`order ${id} is ${status}, ${paymentStatus}, ${paid} paid and ${due} due; its payments are ${amount}`);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'payments',
    title: 'Racing payments with one reference',
    promises: {
      payments_doubled: 'payments that were recorded more than once, or for both orders',
      payments_lost: 'payments of a reply that are not stored, or the other way round',
      orders_wrong: 'orders whose paid amount is not the sum of their payments',
      incomplete_conflicts: 'replies 409 without the recorded payment',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      payments_recorded: 'payments recorded and applied (201)',
      payments_repeated: 'repeats with the recorded payment (200)',
      payments_mismatched: 'payments of another order rejected (409)',
      payments_unmatched: 'payments for the inbox (202)',
      lock_not_acquired: 'replies 423: the lock was not acquired in time',
      payments_unknown: 'payments of unknown outcome',
      unavailable: '503 replies',
    },
  });
}
