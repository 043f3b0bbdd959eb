// Racing debits: more callers debit one unit from a wallet concurrently than it contains.
//
// Exactly one reply per unit is 201; all others are 409 with the balance. A repeated debit changes
// nothing. Concurrently, opposite transfers run between two wallets: the sum of both never changes.
// Proves G4.1.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, customerOf, decoded, expectComplete, fateOf, get, listAll, post, postTogether, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const racers = Number(__ENV.INTERLOCK_LOAD_RACERS || 8);
const units = Math.ceil(racers / 2);
const pairFunds = 1000000;

const debited = new Counter('debits_made');
const refused = new Counter('debits_refused');
const locked = new Counter('lock_not_had');
const unknown = new Counter('debits_unknown');
const overdrawn = new Counter('wallets_overdrawn');
const short = new Counter('wallets_short');
const doubled = new Counter('debits_doubled');
const brokenLedgers = new Counter('broken_ledgers');
const transferred = new Counter('transfers_made');
const moneyLost = new Counter('money_lost');

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    wallets_overdrawn: ['count==0'],
    wallets_short: ['count==0'],
    debits_doubled: ['count==0'],
    broken_ledgers: ['count==0'],
    money_lost: ['count==0'],
    debits_made: ['count>0'],
    debits_refused: ['count>0'],
    transfers_made: ['count>0'],
  },
  batch: racers,
  batchPerHost: racers,
  summaryTrendStats,
  setupTimeout: '30s',
};

const entries = 'POST /wallets/{userId}/entries';

function pathOf(user) {
  return `/wallets/${encodeURIComponent(user)}`;
}

function fund(user, amount) {
  return post(`${pathOf(user)}/entries`, { amount, kind: 'load', reference: 'opening' }, entries);
}

export function setup() {
  // The user ids are unique to this run.
  const base = (Date.now() % 1e6) * 1e9;
  const pair = [base + 1, base + 2].map(customerOf);
  for (const user of pair) create(`${pathOf(user)}/entries`, { amount: pairFunds, kind: 'load', reference: 'opening' }, entries);
  return { base, pair };
}

export default function ({ base, pair }) {
  race(customerOf(base + exec.vu.idInTest * 1e5 + exec.vu.iterationInInstance));
  transfer(pair);
}

/** One wallet of `units`, and `racers` that debit one unit each. */
function race(user) {
  if (fateOf(fund(user, units), []) !== Fate.landed) return;
  const requests = [...Array(racers).keys()].map((i) => ({
    path: `${pathOf(user)}/entries?wait=10000`,
    body: { amount: -1, kind: 'load', reference: `debit-${i}` },
    name: entries,
  }));
  const replies = postTogether(requests);
  const fates = replies.map((reply) => fateOf(reply, [409, 423]));
  const made = fates.filter((fate) => fate === Fate.landed).length;
  const unknowns = fates.filter((fate) => fate === Fate.unknown).length;
  debited.add(made);
  unknown.add(unknowns);
  const waiting = replies.filter(({ status }) => status === 423).length;
  locked.add(waiting);

  if (made > units) overdrawn.add(1);
  const undecided = unknowns + waiting + replies.filter(({ status }) => status === 503).length;
  if (made + undecided < units) short.add(1);
  for (const reply of replies.filter(({ status }) => status === 409)) {
    refused.add(1);
    expectComplete(reply, owedByRefusal(reply, user));
  }
  sendAgain(requests, replies);
  judgeLedger(user, made, unknowns);
}

/** Repeats the first debit: 200 and the same entry. */
function sendAgain(requests, replies) {
  const first = replies.findIndex(({ status }) => status === 201);
  if (first < 0) return;
  const { path, body, name } = requests[first];
  const again = post(path, body, name);
  if (fateOf(again, [423]) !== Fate.landed) return;
  if (again.status !== 200 || decoded(again).id !== decoded(replies[first]).id) doubled.add(1);
}

/** Checks that the entries add up to the balance, and that the balance matches the replies. */
function judgeLedger(user, made, unknowns) {
  const read = get(pathOf(user), 'GET /wallets/{userId}');
  if (!readOk(read)) return;
  const { balance, version } = decoded(read);
  const ledger = listAll(`${pathOf(user)}/entries`, 'GET /wallets/{userId}/entries');
  const sum = ledger.reduce((total, { amount }) => total + amount, 0);
  const spent = units - balance;
  if (sum !== balance || ledger.length !== version || spent < made || spent > made + unknowns || balance < 0) {
    brokenLedgers.add(1);
    console.error(`wallet ${user}: balance ${balance}, entries add up to ${sum}, ${made} debits made, ${unknowns} unknown`);
  }
}

/** Returns the facts that a 409 must contain but does not. */
function owedByRefusal(response, user) {
  const body = decoded(response) || {};
  const owed = {
    'code insufficient_balance': body.code === 'insufficient_balance',
    userId: body.userId === String(user),
    'balance 0': body.balance === 0,
    'wanted 1': body.wanted === 1,
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

/** Transfers in both directions concurrently between the two wallets that all callers share. */
function transfer(pair) {
  const reference = `t-${exec.vu.idInTest}-${exec.vu.iterationInInstance}`;
  const replies = postTogether([0, 1].map((from) => ({
    path: '/wallet-transfers',
    body: { fromUserId: pair[from], toUserId: pair[1 - from], amount: 1 + (exec.vu.iterationInInstance % 7), reference: `${reference}-${from}` },
    name: 'POST /wallet-transfers',
  })));
  for (const reply of replies) {
    if (fateOf(reply, [409, 423]) === Fate.landed) transferred.add(1);
    if (reply.status === 423) locked.add(1);
  }
}

export function teardown({ pair }) {
  const balances = pair.map((user) => decoded(get(pathOf(user), 'GET /wallets/{userId}')).balance);
  const difference = Math.abs(2 * pairFunds - balances[0] - balances[1]);
  moneyLost.add(difference);
  if (difference !== 0) console.error(`the two wallets hold ${balances.join(' + ')} of ${2 * pairFunds}`);
}

export function handleSummary(data) {
  return summary(data, {
    name: 'wallets',
    title: 'Racing debits and opposite transfers',
    promises: {
      wallets_overdrawn: 'wallets with more debited units than their balance',
      wallets_short: 'wallets with fewer debited units than their balance',
      debits_doubled: 'repeated debits that were applied again',
      broken_ledgers: 'wallets with entries that differ from the replies',
      money_lost: 'minor units created or lost by transfers',
      incomplete_conflicts: 'rejections without the balance and the requested amount',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      debits_made: 'debits made',
      debits_refused: 'debits rejected with 409',
      transfers_made: 'transfers made',
      lock_not_had: 'replies 423: the lock was not acquired in time',
      debits_unknown: 'debits with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
