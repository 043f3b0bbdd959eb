// The crowd of a flash sale likes its item, through GraphQL, at a fixed rate of arrivals.
//
// Each VU is one customer, who alternately likes the item and withdraws the like. All customers act
// on one item, so they compete for its counts. Each action is applied, an action with an unknown
// outcome is retried with its id, and at the end the item has exactly the likes of the customers.
//
// Environment: INTERLOCK_LOAD_RATE (taps/s, 1000), INTERLOCK_LOAD_OPEN_SECONDS, INTERLOCK_LOAD_JWT_SECRET
// (the service's secret of customers' tokens; without it the API token acts for them),
// INTERLOCK_LOAD_STORE (the engine, for the heading), INTERLOCK_LOAD_NAME (of the files, taps).
// Proves G3.24.

import exec from 'k6/execution';
import http from 'k6/http';
import { Counter } from 'k6/metrics';

import { baseURL, create, customerHeaders, decoded, newRunId, readOk, replyThresholds, serverErrors, unavailable, unexpectedReplies } from './lib/api.js';
import { latencyThreshold, loopThresholds, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const tapName = 'POST /graphql';
const attempts = 4;

const applied = new Counter('taps_applied');
const repeated = new Counter('taps_sent_again');
const lostReplies = new Counter('replies_lost');
const wrongStates = new Counter('wrong_states');
const unknown = new Counter('taps_unknown');
/** Likes in replies, minus the likes that the item has at the end. */
const lostLikes = new Counter('likes_lost');

export const options = {
  scenarios: scenarios(),
  systemTags: ['name', 'status', 'scenario'],
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    ...latencyThreshold(tapName),
    wrong_states: ['count==0'],
    taps_unknown: ['count==0'],
    likes_lost: ['count==0'],
    taps_applied: ['count>0'],
  },
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const sku = `tapped-${newRunId()}`;
  create('/items', { sku, name: 'Tapped', price: 900 }, 'POST /items');
  return { sku, base: (Date.now() % 1e6) * 1e6 };
}

const mutation = 'mutation($sku: String!, $id: Long!, $active: Boolean) { toggleLikeItem(itemId: $sku, actionId: $id, active: $active) { isLiked lastActionId } }';

let last = 0; // the id of this customer's latest tap

export default function ({ sku, base }) {
  last += 1;
  const active = last % 2 === 1;
  const result = tap({ sku, id: last, active }, customerHeaders(base + exec.vu.idInTest));
  if (!result) {
    unknown.add(1);
    return;
  }
  applied.add(1);
  lostLikes.add(active ? 1 : -1);
  if (result.isLiked === active && result.lastActionId === last) return;
  wrongStates.add(1);
  console.error(`tap ${last} with active ${active} returned ${JSON.stringify(result)}`);
}

/** Sends an action until its outcome is known, and returns its result, or null. */
function tap(variables, headers) {
  for (let left = attempts; left > 0; left -= 1) {
    const reply = graph(mutation, variables, headers);
    const { data, errors } = decoded(reply) || {};
    if (reply.status === 200 && data && data.toggleLikeItem) return data.toggleLikeItem;
    const code = errors && errors.length > 0 ? errors[0].extensions.code : '';
    if (reply.status === 0) lostReplies.add(1);
    else if (reply.status === 503 || ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(code)) unavailable.add(1);
    else {
      (reply.status >= 500 ? serverErrors : unexpectedReplies).add(1);
      console.error(`${tapName} returned ${reply.status}: ${String(reply.body).slice(0, 300)}`);
      return null;
    }
    repeated.add(1);
  }
  return null;
}

function graph(query, variables, headers) {
  return http.post(`${baseURL}/graphql`, JSON.stringify({ query, variables }), {
    headers: { 'Content-Type': 'application/json', ...headers }, tags: { name: tapName }, timeout: '15s',
  });
}

/** Compares the likes of the item with those of the replies. */
export function teardown({ sku, base }) {
  const reply = graph('query($sku: String!) { itemActions(itemId: $sku) { likes } }', { sku }, customerHeaders(base));
  if (!readOk(reply)) return;
  lostLikes.add(-decoded(reply).data.itemActions.likes);
}

export function handleSummary(data) {
  const store = __ENV.INTERLOCK_LOAD_STORE;
  return summary(data, {
    name: __ENV.INTERLOCK_LOAD_NAME || 'taps',
    title: `Taps of a flash sale's crowd through GraphQL${store ? `, in ${store}` : ''}`,
    promises: {
      wrong_states: 'taps that were not applied as sent',
      likes_lost: 'likes that the item has too few (or too many, below 0)',
      taps_unknown: 'taps without a known outcome after all attempts',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      taps_applied: 'taps applied',
      taps_sent_again: 'taps sent again',
      replies_lost: 'taps without a reply',
      unavailable: '503 replies',
    },
  });
}
