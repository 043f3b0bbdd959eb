// Rapid actions: a customer likes, withdraws and dislikes a few things faster than the replies
// arrive, so that the requests overtake each other.
//
// Each burst is sent concurrently, in shuffled order. In any order of arrival, the action with the
// highest id is applied and is the final state; no action is rejected. All customers act on the same
// few things, so that the actions compete for the counts.
// Proves G3.23.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, fateOf, get, newRunId, postTogether, readOk, replyThresholds } from './lib/api.js';
import { latencyThreshold, loopThresholds, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const burst = Number(__ENV.INTERLOCK_LOAD_TAPS || 4);
const things = 3;
const tapName = 'POST /actions';
const lookName = 'GET /actions';
/** After one burst in this many, the script reads the counts and the customer's state. */
const lookEvery = 10;

const applied = new Counter('taps_applied');
const stale = new Counter('taps_stale');
const unknown = new Counter('taps_unknown');
const wrongStates = new Counter('wrong_states');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    ...latencyThreshold(tapName),
    wrong_states: ['count==0'],
    taps_applied: ['count>0'],
    taps_stale: ['count>0'],
  },
  batch: burst,
  batchPerHost: burst,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = newRunId();
  const skus = [...Array(things).keys()].map((i) => `tap-${run}-${i}`);
  for (const sku of skus) create('/items', { sku, name: 'Tapped', price: 1990 }, 'POST /items');
  // The customer ids are unique to this run.
  return { skus, base: (Date.now() % 1e6) * 1e6 };
}

// Ids of one customer grow from burst to burst. A VU is one customer, on every thing.
let last = 0;

export default function ({ skus, base }) {
  const headers = { 'X-On-Behalf-Of': `${customerOf(base + exec.vu.idInTest)}` };
  const sku = skus[Math.floor(Math.random() * skus.length)];
  const taps = [...Array(burst)].map(() => {
    last += 1;
    return {
      entityType: 'item',
      entityId: sku,
      action: Math.random() < 0.7 ? 'like' : 'dislike',
      actionId: last,
      active: Math.random() < 0.7,
    };
  });
  const highest = taps[burst - 1];
  const arriving = shuffled(taps);
  const replies = postTogether(arriving.map((body) => ({ path: '/actions', body, name: tapName, headers })));
  replies.forEach((reply, i) => judge(reply, arriving[i], highest));
  const landed = fates(replies).every((fate) => fate === Fate.landed);
  if (landed && exec.vu.iterationInInstance % lookEvery === 0) look(sku, headers, highest);
}

function shuffled(list) {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function fates(replies) {
  return replies.map(({ status }) => (status === 200 ? Fate.landed : Fate.unknown));
}

/** The highest action is applied whenever it arrives; the others are applied or stale. */
function judge(reply, tap, highest) {
  const fate = fateOf(reply, []);
  if (fate !== Fate.landed) {
    if (fate === Fate.unknown) unknown.add(1);
    return;
  }
  const { active, lastActionId, outcome } = decoded(reply);
  (outcome === 'applied' ? applied : stale).add(1);
  const right = outcome === 'applied'
    ? lastActionId === tap.actionId && active === tap.active
    : tap !== highest && outcome === 'stale' && lastActionId > tap.actionId;
  if (right) return;
  wrongStates.add(1);
  console.error(`tap ${JSON.stringify(tap)} was answered ${reply.body}`);
}

function look(sku, headers, highest) {
  const reply = get(`/actions?entityType=item&entityId=${sku}`, lookName, headers);
  if (!readOk(reply)) return;
  const { counts, own } = decoded(reply);
  const seen = own[highest.action];
  const other = own[highest.action === 'like' ? 'dislike' : 'like'];
  const right = seen.lastActionId === highest.actionId && seen.active === highest.active && !other.active
    && (!seen.active || counts[highest.action] > 0);
  if (right) return;
  wrongStates.add(1);
  console.error(`after ${JSON.stringify(highest)} the state was ${reply.body}`);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'actions',
    title: `Rapid taps, ${burst} at once`,
    promises: {
      wrong_states: 'actions after which the state was not that of the highest id',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      taps_applied: 'taps applied',
      taps_stale: 'actions overtaken by a higher id',
      taps_unknown: 'actions with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
