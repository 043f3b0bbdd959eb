// Racing refunds: callers request more of one payment concurrently than was paid, while another
// caller cancels the order, and many callers approve one refund.
//
// Each racer requests 600 of an order of 1,000 that was paid externally, so at most one of them is
// 201; the others get 422 with the refundable amount. Whether the cancellation is first or last, the
// refunds never exceed the payment. A wallet refund with many concurrent approvals is credited once:
// one reply is 200, all others are 409 with the first approver.
// Proves G4.15.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, createUser, customerOf, decoded, expectComplete, fateOf, get, listAll, newRunId, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8); // one of them cancels
const price = 1000;
const share = 600;

const requested = new Counter('refunds_requested');
const refused = new Counter('refunds_refused');
const cancelled = new Counter('orders_cancelled');
const locked = new Counter('lock_not_had');
const unknown = new Counter('refunds_unknown');
const approved = new Counter('refunds_approved');
const exceeded = new Counter('payments_exceeded');
const broken = new Counter('broken_books');
const doubled = new Counter('credits_doubled');
const lost = new Counter('credits_lost');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    payments_exceeded: ['count==0'],
    broken_books: ['count==0'],
    credits_doubled: ['count==0'],
    credits_lost: ['count==0'],
    refunds_requested: ['count>0'],
    refunds_refused: ['count>0'],
    refunds_approved: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = `${newRunId()}-${phase}`;
  const sku = `LOAD-${run}`;
  create('/items', { sku, name: 'Refunded item', price }, 'POST /items');
  create(`/inventory/${sku}/adjustments`, { delta: 1e9, reason: 'Opening stock', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  // The requester may not approve the refund.
  const role = create('/roles', { name: `refunds ${run}`, permissions: ['refunds:*', 'tokens:write'] }, 'POST /roles');
  const approver = createUser(`refunds-${run}`, [role.name]).token;
  return { sku, approver, base: (Date.now() % 1e6) * 1e9 };
}

export default function ({ sku, approver, base }) {
  const user = customerOf(base + exec.vu.idInTest * 1e5 + exec.vu.iterationInInstance);
  raceForThePayment(paid(sku, user, 'external'));
  const funded = post(`/wallets/${encodeURIComponent(user)}/entries`, { amount: price, kind: 'load', reference: 'opening' }, 'POST /wallets/{userId}/entries');
  if (fateOf(funded, []) === Fate.landed) raceToApprove(paid(sku, user, 'wallet'), user, approver);
}

/** Returns a paid order of one unit, or null if it could not be paid. */
function paid(sku, userId, method) {
  const placed = post('/orders', { userId, items: [{ sku, quantity: 1 }] }, 'POST /orders');
  if (fateOf(placed, [423]) !== Fate.landed) return null;
  const reply = post(`/orders/${decoded(placed).id}/pay`, { method, reference: decoded(placed).orderNo }, 'POST /orders/{id}/pay');
  return fateOf(reply, [423]) === Fate.landed ? decoded(reply) : null;
}

function raceForThePayment(order) {
  if (order === null) return;
  const canceller = exec.scenario.iterationInTest % racers;
  const replies = postTogether([...Array(racers).keys()].map((i) => i === canceller
    ? { path: `/orders/${order.id}/cancel`, body: { reason: 'load run' }, name: 'POST /orders/{id}/cancel' }
    : { path: `/orders/${order.id}/refunds`, body: { amount: share, reason: `load run, racer ${i}` }, name: 'POST /orders/{id}/refunds' }));
  const fates = replies.map((reply) => fateOf(reply, [409, 422, 423]));
  const made = fates.filter((fate, i) => i !== canceller && fate === Fate.landed).length;
  requested.add(made);
  unknown.add(fates.filter((fate) => fate === Fate.unknown).length);
  locked.add(replies.filter(({ status }) => status === 423).length);
  if (fates[canceller] === Fate.landed) cancelled.add(1);
  if (made > 1) exceeded.add(1);
  for (const reply of replies.filter(({ status }) => status === 422)) {
    refused.add(1);
    expectComplete(reply, owedByRefusal(reply));
  }
  judge(order);
}

/** Returns the facts that a 422 for a too large amount must contain but does not. */
function owedByRefusal(response) {
  const body = decoded(response) || {};
  const owed = {
    'a field /amount': (body.fields || []).some(({ pointer }) => pointer === '/amount'),
    'refundable below what was asked for': body.refundable < share,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

/** Checks that the refund amounts of the order equal its refunds and do not exceed the paid amount. */
function judge(order) {
  const read = get(`/orders/${order.id}`, 'GET /orders/{id}');
  if (!readOk(read)) return;
  const final = decoded(read);
  const made = listAll(`/refunds?orderId=${order.id}`, 'GET /refunds');
  const sum = (statuses) => made.filter(({ status }) => statuses.includes(status)).reduce((total, { amount }) => total + amount, 0);
  if (final.refundReserved + final.refunded > final.paid) exceeded.add(1);
  if (sum(['requested', 'approved', 'unknown']) !== final.refundReserved || sum(['settled']) !== final.refunded) {
    broken.add(1);
    console.error(`order ${order.id}: ${final.refundReserved} reserved and ${final.refunded} refunded, and the refunds say otherwise`);
  }
  if (final.status === 'cancelled' && final.refundable !== 0) broken.add(1);
}

function raceToApprove(order, user, approver) {
  if (order === null) return;
  const asked = post(`/orders/${order.id}/refunds`, { amount: share, reason: 'load run' }, 'POST /orders/{id}/refunds');
  if (fateOf(asked, [423]) !== Fate.landed) return;
  const refund = decoded(asked);
  const headers = { Authorization: `Bearer ${approver}` };
  const replies = postTogether([...Array(racers).keys()].map(() => ({
    path: `/refunds/${refund.id}/approve`, body: {}, name: 'POST /refunds/{id}/approve', headers,
  })));
  const fates = replies.map((reply) => fateOf(reply, [409, 423]));
  const won = fates.filter((fate) => fate === Fate.landed).length;
  const unknowns = fates.filter((fate) => fate === Fate.unknown).length;
  approved.add(won);
  for (const reply of replies.filter(({ status }) => status === 409)) {
    const body = decoded(reply) || {};
    expectComplete(reply, body.changedBy && body.changedBy.name && body.current ? [] : ['who approved it']);
  }
  const ledger = listAll(`/wallets/${encodeURIComponent(user)}/entries?reference=${encodeURIComponent(`@refunds/${refund.id}`)}`, 'GET /wallets/{userId}/entries');
  if (won > 1 || ledger.length > 1) doubled.add(1);
  if (ledger.length < won || (ledger.length > 0 && won + unknowns === 0) || ledger.some(({ amount }) => amount !== share)) lost.add(1);
  judge(order);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'refunds',
    title: 'Racing refunds, cancellations and approvals',
    promises: {
      payments_exceeded: 'payments with refunds above the paid amount',
      broken_books: 'orders that differ from their refunds',
      credits_doubled: 'refunds that were approved or credited more than once',
      credits_lost: 'approved refunds without a wallet entry, or entries without an approval',
      incomplete_conflicts: 'rejections without the refundable amount or the winner',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      refunds_requested: 'refunds requested',
      refunds_refused: 'refunds rejected with 422',
      orders_cancelled: 'orders cancelled in the race',
      refunds_approved: 'refunds approved',
      lock_not_had: 'replies 423: the lock was not acquired in time',
      refunds_unknown: 'requests with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
