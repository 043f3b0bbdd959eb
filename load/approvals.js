// Racing decisions: several approvers vote for one change concurrently, while its author withdraws
// it.
//
// One vote is sufficient here, so exactly one reply of each race is 200: the change is made once, or
// not at all. All other callers get 412 or 409 with the winner.

import { Counter } from 'k6/metrics';

import { Fate, create, createUser, decoded, expectComplete, fateOf, get, listAll, newRunId, patch, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const approvers = Number(__ENV.INTERLOCK_LOAD_APPROVERS || 3);

const won = new Counter('decisions_won');
const refused = new Counter('decisions_refused');
const unknown = new Counter('decisions_unknown');
const doubled = new Counter('decisions_doubled');
const lost = new Counter('decisions_lost');
const unapproved = new Counter('changes_without_a_vote');
const brokenHistories = new Counter('broken_histories');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    decisions_doubled: ['count==0'],
    decisions_lost: ['count==0'],
    changes_without_a_vote: ['count==0'],
    broken_histories: ['count==0'],
    // A run without winners or without losers has no race.
    decisions_won: ['count>0'],
    decisions_refused: ['count>0'],
  },
  // By default k6 sends at most six requests of a batch concurrently to one host, too few for a
  // race.
  batch: approvers + 1,
  batchPerHost: approvers + 1,
  summaryTrendStats,
  setupTimeout: '30s',
};

export function setup() {
  const run = `${newRunId()}-${phase}`;
  const tokens = [...Array(approvers).keys()].map((i) => createUser(`approver-${run}-${i}`, ['admin']).token);
  return { run, tokens };
}

let made = 0;

export default function ({ run, tokens }) {
  made += 1;
  const key = `load.${run}.${__VU}.${made}`;
  const config = create('/configs', { key, value: 1, protected: true }, 'POST /configs');
  const asked = patch(`/configs/${key}`, { value: 2 }, config.etag, 'PATCH /configs/{key}');
  if (fateOf(asked, []) !== Fate.landed) return;
  const approval = decoded(asked);
  if (asked.status !== 202 || decoded(get(`/configs/${key}`, 'GET /configs/{key}')).version !== 1) unapproved.add(1);

  const requests = tokens.map((token) => ({
    action: 'approve', path: `/approvals/${approval.id}/approve`, name: 'POST /approvals/{id}/approve',
    headers: { Authorization: `Bearer ${token}`, 'If-Match': approval.etag },
  }));
  // The order of sending alternates, so that not always the same action wins.
  requests.splice(made % (approvers + 1), 0, {
    action: 'withdraw', path: `/approvals/${approval.id}/withdraw`, name: 'POST /approvals/{id}/withdraw', headers: { 'If-Match': approval.etag },
  });
  const replies = postTogether(requests);
  judge(key, approval, requests.map((request, i) => ({ ...request, response: replies[i] })));
}

/** Counts the winners and the rejections, and compares them with the stored state. */
function judge(key, approval, race) {
  const judged = race.map((racer) => ({ ...racer, fate: fateOf(racer.response, [409, 412]) }));
  const winners = judged.filter(({ fate }) => fate === Fate.landed);
  const unknowns = judged.filter(({ fate }) => fate === Fate.unknown).length;
  won.add(winners.length);
  unknown.add(unknowns);

  const [decided, read] = [get(`/approvals/${approval.id}`, 'GET /approvals/{id}'), get(`/configs/${key}`, 'GET /configs/{key}')];
  if (!readOk(decided) || !readOk(read)) return;
  const [final, config] = [decoded(decided), decoded(read)];
  const applied = config.version - 1;

  if (winners.length > 1 || applied > 1) doubled.add(1);
  if (winners.some(({ action }) => final.status !== { approve: 'approved', withdraw: 'withdrawn' }[action])) lost.add(1);
  if ((final.status === 'approved') !== (applied === 1 && config.value === 2)) unapproved.add(1);
  if (judged.every(({ response }) => [409, 412].includes(response.status))) lost.add(1);

  for (const { response } of judged.filter(({ response: { status } }) => [409, 412].includes(status))) {
    refused.add(1);
    expectComplete(response, owedByConflict(response, final));
  }
  const history = listAll(`/approvals/${approval.id}/history`, 'GET /approvals/{id}/history');
  if (history.length !== final.version) {
    brokenHistories.add(1);
    console.error(`approval ${approval.id}: ${history.length} history rows for version ${final.version}`);
  }
}

/** Returns the facts that a rejection must contain but does not. */
function owedByConflict(response, final) {
  const body = decoded(response) || {};
  const who = body.updatedBy || body.changedBy;
  const owed = {
    'code version_conflict, transition_not_allowed or status_changed': ['version_conflict', 'transition_not_allowed', 'status_changed'].includes(body.code),
    [`currentStatus ${final.status}`]: body.currentStatus === final.status,
    'who was first': Boolean(who && who.id === final.updatedBy.id),
    current: Boolean(body.current) && body.current.version === final.version,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'approvals',
    title: 'Racing decisions on approvals',
    promises: {
      decisions_doubled: 'races with more than one winner, or changes made twice',
      decisions_lost: 'races without a winner, or with a winner that is not stored',
      changes_without_a_vote: 'protected configs that changed without an approved approval, or did not with one',
      broken_histories: 'approvals without one history row per version',
      incomplete_conflicts: 'rejections without the winner and the current approval',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      decisions_won: 'decisions won',
      decisions_refused: 'racers refused',
      decisions_unknown: 'decisions with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
