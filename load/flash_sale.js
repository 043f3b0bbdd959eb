// A flash sale with many more customers than units. The customers arrive at a fixed rate and do not
// wait for each other. Each buys one unit; an accepted customer polls the ticket until it has ended.
//
// Exactly one customer per unit is accepted, all others get sold_out, each ticket becomes one order,
// and the numbers of the sale are balanced at any time.
//
// k6 runs next to the service, so it does little: tokens are created before the sale, and there is a
// VU for each concurrently waiting customer, so that none is created during the sale.
//
// Environment: INTERLOCK_LOAD_BUYERS (20000), INTERLOCK_LOAD_UNITS (2000), INTERLOCK_LOAD_BUYERS_RATE
// (customers/s, 500), INTERLOCK_LOAD_JWT_SECRET (the service's secret of customers' tokens; without it
// the API token acts for them), INTERLOCK_LOAD_STORE (the store of the sale, for the heading),
// INTERLOCK_LOAD_NAME (of the files; flash_sale).
// Proves G5.32.

import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';

import { Fate, create, customerOf, decoded, fateOf, get, listAll, post, readOk, replyThresholds, tokenOf } from './lib/api.js';
import { barChart, lineChart, percentiles } from './lib/charts.js';
import { summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';
import { newSeries, pace } from './lib/series.js';

const buyers = Number(__ENV.INTERLOCK_LOAD_BUYERS || 20000);
const units = Number(__ENV.INTERLOCK_LOAD_UNITS || 2000);
const perSecond = Number(__ENV.INTERLOCK_LOAD_BUYERS_RATE || 500);
const seconds = Math.ceil(buyers / perSecond);
const secret = __ENV.INTERLOCK_LOAD_JWT_SECRET;
/** The first and the maximum pause between polls of a ticket, in s; the pause doubles each time. */
const firstLook = 0.05;
const lookEvery = 0.8;
/** The time after which a customer stops polling, in s. */
const patience = 60;
/** The interval between reads of the sale's numbers, in s. */
const watchEvery = Math.max(1, Math.ceil(seconds / 150));
const buyName = 'POST /flash-sales/{id}/orders';

const accepted = new Counter('tickets_accepted');
const soldOut = new Counter('customers_sold_out');
const refusedOtherwise = new Counter('customers_refused_otherwise');
const confirmed = new Counter('tickets_confirmed');
const notConfirmed = new Counter('tickets_not_confirmed');
const lost = new Counter('replies_lost');
const unbalanced = new Counter('sale_unbalanced');
const wrong = new Counter('sale_sold_wrong');
const mended = new Counter('sale_to_be_mended');
const wrongOrders = new Counter('orders_wrong');
const uncounted = new Counter('refusals_not_counted');
const toAccept = new Trend('purchase_accepted_after', true);
const toRefuse = new Trend('purchase_refused_after', true);
const toConfirm = new Trend('ticket_confirmed_after', true);
const watched = newSeries('sale', ['accepted', 'soldOut', 'confirmed', 'queued', 'processing'], Math.ceil((seconds + patience) / watchEvery));

/** k6 can start a few more iterations than requested, so there are some spare customers. */
const tokens = new SharedArray('tokens', () => (secret ? [...Array((seconds + 1) * perSecond).keys()].map((i) => tokenOf(i + 1)) : []));

export const options = {
  scenarios: {
    crowd: {
      executor: 'constant-arrival-rate',
      rate: perSecond,
      timeUnit: '1s',
      duration: `${seconds}s`,
      preAllocatedVUs: units + perSecond,
      maxVUs: units + perSecond,
      gracefulStop: `${patience}s`,
    },
    watch: { executor: 'per-vu-iterations', exec: 'watch', vus: 1, iterations: 1, maxDuration: `${seconds + patience}s` },
  },
  // Unused tags cost k6 time at each sample.
  systemTags: ['name', 'status', 'scenario'],
  thresholds: {
    ...replyThresholds,
    ...watched.thresholds,
    dropped_iterations: ['count==0'],
    tickets_not_confirmed: ['count==0'],
    customers_refused_otherwise: ['count==0'],
    sale_unbalanced: ['count==0'],
    sale_sold_wrong: ['count==0'],
    sale_to_be_mended: ['count==0'],
    orders_wrong: ['count==0'],
    refusals_not_counted: ['count<=0'], // below 0 if a rejected purchase was retried
    tickets_accepted: [`count==${units}`],
    tickets_confirmed: [`count==${units}`],
    customers_sold_out: ['count>0'],
  },
  summaryTrendStats,
  setupTimeout: '60s',
  teardownTimeout: '120s',
};

/** The headers that identify a customer. */
function headersOf(customer) {
  return secret ? { Authorization: `Bearer ${tokens[customer - 1]}` } : { 'X-On-Behalf-Of': `${customerOf(customer)}` };
}

export function setup() {
  const sku = `LOAD-${Date.now().toString(36)}`;
  create('/items', { sku, name: 'Load', price: 900 }, 'POST /items');
  create(`/inventory/${sku}/adjustments`, { delta: units, reason: 'load', reference: 'opening' }, 'POST /inventory/{sku}/adjustments');
  const sale = create('/flash-sales', {
    name: 'Load', sku, price: 500, quantity: units, perUserLimit: 1,
    startsTime: '2020-01-01T00:00:00Z', endsTime: '2100-01-01T00:00:00Z',
  }, 'POST /flash-sales');
  const path = `/flash-sales/${sale.id}`;
  readOk(post(`${path}/open`, {}, 'POST /flash-sales/{id}/open'));
  return { sku, path, started: Date.now() };
}

export default function ({ path }) {
  const customer = exec.scenario.iterationInTest + 1;
  const headers = headersOf(customer);
  const began = Date.now();
  const reply = ask(`${path}/orders`, { ...headers, 'X-Idempotency-Key': `load-${path}-${customer}` });
  if (fateOf(reply, [409]) !== Fate.landed) {
    toRefuse.add(reply.timings.duration);
    if (reply.status === 409) refuse(reply);
    return;
  }
  toAccept.add(reply.timings.duration);
  accepted.add(1);
  follow(`${path}/tickets/${decoded(reply).ticket}`, headers, began);
}

/** Buys one unit; without a reply it retries under the same key, as a shop does. */
function ask(path, headers) {
  for (let left = 3; ; left -= 1) {
    const reply = post(path, { quantity: 1 }, buyName, headers);
    if (reply.status !== 0 || left === 0) return reply;
    lost.add(1);
  }
}

function refuse(reply) {
  if (!String(reply.body).includes('"sold_out"')) {
    refusedOtherwise.add(1);
    return;
  }
  soldOut.add(1);
  uncounted.add(1);
}

/** Polls a ticket until it has ended. */
function follow(ticket, headers, began) {
  for (let waited = 0, next = firstLook; waited < patience; waited += next, next = Math.min(2 * next, lookEvery)) {
    sleep(next);
    const reply = get(ticket, 'GET /flash-sales/{id}/tickets/{ticket}', headers);
    const { status } = (readOk(reply) && decoded(reply)) || {};
    if (status === 'confirmed') {
      confirmed.add(1);
      toConfirm.add(Date.now() - began);
      return;
    }
    if (status === 'rejected') break;
  }
  notConfirmed.add(1);
}

/** Reads the numbers until all customers have finished and the queue is empty. */
export function watch({ path, started }) {
  for (let over = 0; over < 2; ) {
    const stats = look(path);
    const at = (Date.now() - started) / 1000;
    if (stats) {
      const { allotted, remaining, rejected, returned, queued, processing } = stats;
      watched.add(at, {
        accepted: allotted - remaining + rejected + returned, soldOut: stats.refusals.soldOut,
        confirmed: stats.confirmed + returned, queued, processing,
      });
      if (at > seconds && queued + processing === 0) over += 1;
    }
    sleep(watchEvery - (((Date.now() - started) / 1000) % watchEvery));
  }
}

function look(path) {
  const reply = get(`${path}/stats`, 'GET /flash-sales/{id}/stats');
  const stats = readOk(reply) ? decoded(reply) : null;
  if (stats && !stats.balanced) unbalanced.add(1);
  return stats;
}

/** Returns the numbers once they include all customers: a process reports its rejections with a delay. */
function atRest(path) {
  let stats = look(path);
  for (let left = 10; left > 0; left -= 1) {
    sleep(1);
    const next = look(path);
    if (stats && next && next.refusals.soldOut === stats.refusals.soldOut) return next;
    stats = next;
  }
  return stats;
}

/** Compares the service's final numbers with the replies to the customers. */
export function teardown({ sku, path }) {
  const stats = atRest(path);
  if (!stats || stats.confirmed !== units || stats.remaining !== 0) wrong.add(1);
  uncounted.add(-(stats ? stats.refusals.soldOut : 0));
  const found = decoded(post(`${path}/reconcile`, {}, 'POST /flash-sales/{id}/reconcile')) || {};
  if (!found.consistent || found.rebuilt || found.repaired !== 0) mended.add(1);
  const orders = listAll('/orders?sort=-id', 'GET /orders').filter(({ items }) => items.some((line) => line.sku === sku));
  const owners = new Set(orders.map(({ userId }) => userId));
  const tickets = new Set(orders.map(({ ticket }) => ticket));
  if (orders.length !== units || owners.size !== units || tickets.size !== units) wrongOrders.add(1);
}

export function handleSummary(data) {
  const rows = watched.take(data.metrics);
  const store = __ENV.INTERLOCK_LOAD_STORE;
  return summary({ ...data, series: rows }, {
    name: __ENV.INTERLOCK_LOAD_NAME || 'flash_sale',
    title: `A flash sale${store ? ` in ${store}` : ''}: ${buyers} customers for ${units} units`,
    arrivals: { perSecond, seconds },
    charts: charts(rows, data.metrics),
    promises: {
      tickets_not_confirmed: 'accepted tickets that did not become an order',
      customers_refused_otherwise: 'customers rejected for another reason than sold_out',
      orders_wrong: 'sales without exactly one order per unit, each of a different customer and ticket',
      sale_unbalanced: 'reads of unbalanced numbers',
      sale_sold_wrong: 'sales that did not sell exactly their units',
      sale_to_be_mended: 'sales that a reconciliation with the database repaired',
      refusals_not_counted: 'rejections that the sale did not count',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the run)',
    },
    figures: { tickets_accepted: 'tickets accepted', tickets_confirmed: 'tickets confirmed', customers_sold_out: 'customers rejected with sold_out', replies_lost: 'purchases without a reply, retried' },
  });
}

function charts(rows, metrics) {
  const times = rows.map((row) => row.seconds);
  const arrived = rows.map((row) => ({ seconds: row.seconds, all: row.accepted + row.soldOut }));
  return [
    lineChart({
      title: 'Arrivals and replies', unit: 'per second, as counted by the sale', seconds: times,
      lines: [
        { name: 'arrived', tone: 'arrived', filled: true, values: pace(arrived, 'all') },
        { name: 'sold out', tone: 'refused', values: pace(rows, 'soldOut') },
        { name: 'accepted', tone: 'accepted', values: pace(rows, 'accepted') },
        { name: 'confirmed', tone: 'confirmed', values: pace(rows, 'confirmed') },
      ],
    }),
    lineChart({
      title: 'Depth of the queue', unit: 'units', seconds: times,
      lines: [
        { name: 'queued', tone: 'queued', filled: true, values: rows.map((row) => row.queued) },
        { name: 'becoming orders', tone: 'accepted', values: rows.map((row) => row.processing) },
      ],
    }),
    barChart({
      title: 'Latency', unit: `a ticket is first polled after ${firstLook * 1000} ms; the pause doubles up to ${lookEvery * 1000} ms`,
      groups: [
        { name: 'Accepted purchase', tone: 'accepted', values: percentiles(metrics.purchase_accepted_after) },
        { name: 'Rejected purchase', tone: 'refused', values: percentiles(metrics.purchase_refused_after) },
        { name: 'From the purchase to the end of its ticket', tone: 'confirmed', values: percentiles(metrics.ticket_confirmed_after) },
      ],
    }),
  ].join('\n');
}
