// Numbers over time for a chart of the report. k6's summary has no time series, so one VU takes
// samples and stores each under a separate tag. k6 stores a tag separately only if a threshold names
// it, so each has a threshold that is always true.

import { Gauge } from 'k6/metrics';

const clock = 'seconds';

/**
 * A series of at most `looks` samples of the named numbers. Its `thresholds` belong into the
 * options; only one VU may call `add`.
 */
export function newSeries(prefix, names, looks) {
  const gauges = {};
  const thresholds = {};
  for (const name of [clock, ...names]) {
    const metric = `${prefix}_${name}`;
    gauges[name] = new Gauge(metric);
    for (let n = 0; n < looks; n += 1) thresholds[`${metric}{look:${n}}`] = ['value>=0'];
  }
  let taken = 0;
  return {
    thresholds,
    add(seconds, values) {
      if (taken >= looks) return;
      const tags = { look: `${taken}` };
      gauges[clock].add(seconds, tags);
      for (const name of names) gauges[name].add(values[name], tags);
      taken += 1;
    },
    /** Returns the samples as [{seconds, …}] from k6's summary data, and removes the metrics from it. */
    take(metrics) {
      const rows = [];
      for (let n = 0; n < looks; n += 1) {
        const row = {};
        for (const name of [clock, ...names]) {
          const key = `${prefix}_${name}{look:${n}}`;
          row[name] = metrics[key] ? metrics[key].values.value : 0;
          delete metrics[key];
        }
        if (row[clock] > 0) rows.push(row);
      }
      for (const name of [clock, ...names]) delete metrics[`${prefix}_${name}`];
      return rows;
    },
  };
}

/** Returns the increase per second around each sample, of numbers that only grow. */
export function pace(rows, name) {
  return rows.map((_, i) => {
    const from = rows[Math.max(0, i - 1)];
    const to = rows[Math.min(rows.length - 1, i + 1)];
    const seconds = to.seconds - from.seconds;
    return seconds > 0 ? Math.max(0, (to[name] - from[name]) / seconds) : 0;
  });
}
