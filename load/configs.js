// Racing admins on a few configs: no acknowledged edit may be lost, and none may count twice.
//
// Two kinds of racers:
//   - the counter: GET, add one, PATCH with If-Match. A stale edit must get 412 with the conflict.
//   - the disjoint editor: adds one to its member of a JSON value, with ?merge=disjoint and the version
//     that it read at its start. Its edit and the concurrent edits must all be applied.
//
// Each value counts its edits, so for every config, at the end,
//   acknowledged edits <= version increments <= acknowledged + unknown edits
// and tally == version increments. `lost_updates` and `phantom_updates` are the differences: VUs count
// their acknowledgements, and teardown subtracts the edits that are stored.

import exec from 'k6/execution';
import { Counter } from 'k6/metrics';

import { Fate, create, decoded, expectComplete, fateOf, get, listAll, newRunId, patch, readOk, replyThresholds } from './lib/api.js';
import { loopThresholds, phase, scenarios, summaryTrendStats } from './lib/loops.js';
import { summary } from './lib/report.js';

const counters = 3;
const disjointEvery = 4; // one iteration in four edits disjoint members

const acknowledged = new Counter('edits_acknowledged');
const refused = new Counter('edits_refused');
const unknown = new Counter('edits_unknown');
const merged = new Counter('edits_merged');
const lost = new Counter('lost_updates');
const phantom = new Counter('phantom_updates');
const wrongReads = new Counter('inconsistent_reads');
const brokenHistories = new Counter('broken_histories');

const series = [...Array(counters).keys()].map((i) => `counter-${i + 1}`).concat('disjoint');

function ledgerThresholds() {
  const result = {};
  for (const config of series) {
    result[`lost_updates{config:${config}}`] = ['count<=0'];
    result[`phantom_updates{config:${config}}`] = ['count<=0'];
  }
  return result;
}

export const options = {
  scenarios: scenarios(),
  thresholds: {
    ...replyThresholds,
    ...loopThresholds(),
    ...ledgerThresholds(),
    inconsistent_reads: ['count==0'],
    broken_histories: ['count==0'],
    // A run without edits, races or merges proves nothing. The open loop is below the knee, where
    // races are rare.
    edits_acknowledged: ['count>0'],
    ...(phase === 'closed' && { edits_refused: ['count>0'], edits_merged: ['count>0'] }),
  },
  summaryTrendStats,
  setupTimeout: '30s',
  teardownTimeout: '120s',
};

/** Returns the path of each config by its name in `series`. */
export function setup() {
  const run = newRunId();
  const paths = {};
  for (const config of series) {
    const disjoint = config === 'disjoint';
    const key = `load.${run}.${phase}.${config}`;
    create('/configs', {
      key,
      value: disjoint ? {} : 0,
      valueType: disjoint ? 'json' : 'number',
      remark: 'created for a load run',
    }, 'POST /configs');
    paths[config] = `/configs/${key}`;
  }
  return paths;
}

export default function (paths) {
  const iteration = exec.scenario.iterationInTest;
  if (iteration % disjointEvery === 0) {
    editOwnMember(paths.disjoint);
  } else {
    const config = series[iteration % counters];
    countUp(config, paths[config]);
  }
}

function book(config, fate) {
  if (fate === Fate.refused) {
    refused.add(1);
  } else if (fate === Fate.landed) {
    acknowledged.add(1);
    lost.add(1, { config });
    phantom.add(-1, { config });
  } else {
    unknown.add(1);
    phantom.add(-1, { config });
  }
}

function countUp(config, path) {
  const read = get(path, 'GET /configs/{key}');
  if (!readOk(read)) return;
  const page = decoded(read);
  if (Number(page.value) !== page.version - 1) wrongReads.add(1);

  const mark = `vu ${exec.vu.idInTest} iteration ${exec.scenario.iterationInTest} of ${exec.scenario.name}`;
  const write = patch(path, { value: page.value + 1, remark: mark }, page.etag, 'PATCH /configs/{key}');
  const fate = fateOf(write, [412]);
  book(config, fate);
  if (fate === Fate.refused && write.status === 412) expectComplete(write, owedByConflict(write, page.version));
}

/** Returns the facts that a 412 must contain but does not: the winner, the time, and the three versions. */
function owedByConflict(response, expectedVersion) {
  const body = decoded(response) || {};
  const owed = {
    'code version_conflict': body.code === 'version_conflict',
    expectedVersion: body.expectedVersion === expectedVersion,
    'currentVersion beyond it': body.currentVersion > expectedVersion,
    'currentEtag': Boolean(body.currentEtag),
    'updatedBy.name': Boolean(body.updatedBy && body.updatedBy.name),
    updatedTime: Boolean(body.updatedTime),
    base: Boolean(body.base),
    current: Boolean(body.current),
    'conflict at /value': Array.isArray(body.conflicts) && body.conflicts.some((c) => c.pointer === '/value'),
  };
  return Object.keys(owed).filter((name) => !owed[name]);
}

let openPage = null; // this VU's page of the disjoint config, never reloaded while it gets through
let own = 0; // this VU's acknowledged additions to its member

function editOwnMember(path) {
  const member = `vu${exec.vu.idInTest}`;
  if (openPage === null) {
    const read = get(path, 'GET /configs/{key}');
    if (!readOk(read)) return;
    openPage = decoded(read);
    own = openPage.value[member] || 0;
  }

  const change = { value: { [member]: own + 1 } };
  const write = patch(`${path}?merge=disjoint`, change, openPage.etag, 'PATCH /configs/{key}?merge=disjoint');
  const fate = fateOf(write, [412]);
  book('disjoint', fate);
  if (fate !== Fate.landed) {
    openPage = null;
    return;
  }

  const landed = decoded(write);
  own += 1;
  if (landed.merged) merged.add(1);
  if (landed.value[member] !== own || tally(landed.value) !== landed.version - 1) wrongReads.add(1);
  openPage = landed;
}

function tally(value) {
  if (typeof value !== 'object') return Number(value);
  return Object.values(value).reduce((sum, n) => sum + n, 0);
}

export function teardown(paths) {
  for (const config of series) settle(config, paths[config]);
}

/** Compares the stored state with the acknowledgements that the VUs counted. */
function settle(config, path) {
  const read = get(path, 'GET /configs/{key}');
  if (!readOk(read)) throw new Error(`read ${config} at the end: status ${read.status}`);
  const { value, version } = decoded(read);
  // If tally and version differ, the lower one bounds the surviving edits, the higher the applied
  // ones.
  const [landed, applied] = [Math.min(tally(value), version - 1), Math.max(tally(value), version - 1)];
  lost.add(-landed, { config });
  phantom.add(applied, { config });

  const history = listAll(`${path}/history`, 'GET /configs/{key}/history');
  const whole = history.length === version
    && history.every((row, i) => row.version === version - i && tally(row.value) === row.version - 1);
  if (!whole) {
    brokenHistories.add(1);
    console.error(`history of ${config}: ${history.length} rows for version ${version}, or a step that is not one edit`);
  }
}

export function handleSummary(data) {
  return summary(data, {
    name: 'configs',
    title: 'Racing admins on configs',
    promises: {
      lost_updates: 'acknowledged edits that are not stored',
      phantom_updates: 'applied edits that were not acknowledged, or applied twice',
      inconsistent_reads: 'reads with a value of another version',
      broken_histories: 'configs without one history row per edit',
      incomplete_conflicts: 'rejections without the winner and the differences',
      server_errors: 'server errors (5xx except 503)',
      unexpected_replies: 'replies of any other kind',
      dropped_iterations: 'arrivals dropped (any voids the latencies)',
    },
    figures: {
      edits_acknowledged: 'edits acknowledged',
      edits_refused: 'stale edits rejected with 412',
      edits_merged: 'stale disjoint edits merged',
      edits_unknown: 'edits with unknown outcome',
      unavailable: '503 replies',
    },
  });
}
