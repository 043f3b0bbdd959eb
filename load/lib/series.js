// Numbers over time for a chart of the report. k6's summary has no time in it, so one VU looks every so
// often and keeps each look under a tag of its own; the thresholds, which always hold, make k6 remember
// a tag by itself.

import { Gauge } from 'k6/metrics';

const clock = 'seconds';

/**
 * A series of at most `looks` looks at the named numbers. Its `thresholds` belong into the options, and
 * `add` is for one VU alone.
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
    /** The looks as [{seconds, …}], from k6's summary data; the metrics are taken out of it. */
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

/** What was added a second between two looks before and after each, of numbers that only grow. */
export function pace(rows, name) {
  return rows.map((_, i) => {
    const from = rows[Math.max(0, i - 1)];
    const to = rows[Math.min(rows.length - 1, i + 1)];
    const seconds = to.seconds - from.seconds;
    return seconds > 0 ? Math.max(0, (to[name] - from[name]) / seconds) : 0;
  });
}
