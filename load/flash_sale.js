// A flash sale: many more customers than units, who come at a rate of their own and do not wait for each
// other. Each buys one unit, and whoever was accepted asks for the ticket until it has ended.
//
// Exactly as many customers are accepted as there are units, each ticket becomes an order, and the numbers
// of the sale add up whenever somebody looks.
//
// Environment: INTERLOCK_LOAD_BUYERS (20000), INTERLOCK_LOAD_UNITS (2000), INTERLOCK_LOAD_BUYERS_RATE
// (customers/s, 250).

import exec from 'k6/execution';
import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';

import { Fate, create, decoded, fateOf, get, post, readOk, replyThresholds } from './lib/api.js';
import { summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const buyers = Number(__ENV.INTERLOCK_LOAD_BUYERS || 20000);
const units = Number(__ENV.INTERLOCK_LOAD_UNITS || 2000);
const perSecond = Number(__ENV.INTERLOCK_LOAD_BUYERS_RATE || 250);
const lookEvery = 1;
const patience = 60;

const accepted = new Counter('tickets_accepted');
const refused = new Counter('customers_refused');
const confirmed = new Counter('tickets_confirmed');
const notConfirmed = new Counter('tickets_not_confirmed');
const unbalanced = new Counter('sale_unbalanced');
const wrong = new Counter('sale_sold_wrong');
const toConfirm = new Trend('ticket_confirmed_after', true);

export const options = {
  scenarios: {
    crowd: {
      executor: 'constant-arrival-rate',
      rate: perSecond,
      timeUnit: '1s',
      duration: `${Math.ceil(buyers / perSecond)}s`,
      preAllocatedVUs: 1500,
      maxVUs: 1500,
      gracefulStop: '60s',
    },
  },
  thresholds: {
    ...replyThresholds,
    dropped_iterations: ['count==0'],
    tickets_not_confirmed: ['count==0'],
    sale_unbalanced: ['count==0'],
    sale_sold_wrong: ['count==0'],
    tickets_accepted: [`count==${units}`],
    tickets_confirmed: [`count==${units}`],
    customers_refused: ['count>0'],
  },
  summaryTrendStats,
  setupTimeout: '30s',
  teardownTimeout: '120s',
};

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
  return { path };
}

export default function ({ path }) {
  const customer = exec.scenario.iterationInTest + 1;
  const headers = { 'X-On-Behalf-Of': `${customer}` };
  const began = Date.now();
  const reply = post(`${path}/orders`, { quantity: 1 }, 'POST /flash-sales/{id}/orders', { ...headers, 'X-Idempotency-Key': `load-${customer}` });
  if (fateOf(reply, [409]) !== Fate.landed) {
    refused.add(1);
    return;
  }
  accepted.add(1);
  follow(`${path}/tickets/${decoded(reply).ticket}`, headers, began);
}

/** Asks for a ticket until it has ended. */
function follow(ticket, headers, began) {
  for (let waited = 0; waited < patience; waited += lookEvery) {
    const reply = get(ticket, 'GET /flash-sales/{id}/tickets/{ticket}', headers);
    const { status } = (readOk(reply) && decoded(reply)) || {};
    if (status === 'confirmed') {
      confirmed.add(1);
      toConfirm.add(Date.now() - began);
      return;
    }
    if (status === 'rejected') break;
    sleep(lookEvery);
  }
  notConfirmed.add(1);
}

export function teardown({ path }) {
  const stats = decoded(get(`${path}/stats`, 'GET /flash-sales/{id}/stats')) || {};
  if (!stats.balanced) unbalanced.add(1);
  if (stats.confirmed !== units || stats.remaining !== 0) wrong.add(1);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'flash_sale',
    title: `A flash sale: ${buyers} customers for ${units} units`,
    arrivals: { perSecond, seconds: Math.ceil(buyers / perSecond) },
    promises: {
      tickets_not_confirmed: 'accepted tickets that did not become an order',
      sale_unbalanced: 'looks at numbers that did not add up',
      sale_sold_wrong: 'sales that did not sell exactly their units',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: { tickets_accepted: 'tickets accepted', tickets_confirmed: 'tickets confirmed', customers_refused: 'customers told that it is sold out' },
  });
}
