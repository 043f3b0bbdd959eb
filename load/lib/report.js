// The output of a run: <name>-<phase>.json (all of k6's summary data, the verdict first), a part of
// the report's index page and, if another open run should follow, <name>-<phase>.rate with its
// arrivals/s: after a closed run, and after a void open run without other failures.
//
// Environment: INTERLOCK_LOAD_REPORT (the folder, load/report).

import { barChart, escape, milliseconds as ms, percentiles, plain } from './charts.js';
import { closedSteps, isBusy, knee, openSeconds, phase, rate, stepSeconds } from './loops.js';

const folder = __ENV.INTERLOCK_LOAD_REPORT || 'load/report';

/** The share of the knee at which the open loop runs: below the knee, with a margin for noise. */
const shareOfKnee = 0.5;

/**
 * Returns the files of one run. `about.promises` describes the counters that must be 0, and
 * `about.figures` the displayed counters. `about.charts` is HTML that replaces k6's charts.
 */
export function summary(data, about) {
  const failed = crossed(data.metrics);
  const closed = phase === 'closed' ? closedSteps(data.metrics) : null;
  const stem = `${folder}/${about.name}-${phase}`;
  const result = {
    [`${stem}.json`]: JSON.stringify({ passed: failed.length === 0, failed, closed, ...data }, null, 2),
    [`${stem}.part.html`]: part(data.metrics, about, failed, closed),
    stdout: text(data.metrics, about, failed, closed),
  };
  const next = nextRate(failed, closed, about);
  if (next > 0) result[`${stem}.rate`] = `${next}\n`;
  return result;
}

function nextRate(failed, closed, about) {
  if (closed) return Math.max(1, Math.floor(knee(closed).perSecond * shareOfKnee));
  // The latencies of a void run do not prevent another one.
  const isVoid = failed.some(isDrop) && failed.every((threshold) => isDrop(threshold) || isLatency(threshold));
  return isVoid ? Math.floor(arrivalsOf(about).perSecond / 2) : 0;
}

function isLatency(threshold) {
  return threshold.startsWith('http_req_duration');
}

function isDrop(threshold) {
  return threshold.startsWith('dropped_iterations');
}

function arrivalsOf(about) {
  return about.arrivals || { perSecond: rate, seconds: openSeconds };
}

/** Returns the verdict as text. A run that dropped arrivals is void. */
function verdict(metrics, failed) {
  if (failed.length === 0) return 'Passed: every promise held.';
  const why = failed.join('; ');
  if (!failed.some(isDrop)) return `Failed: ${why}.`;
  return `Void: ${count(metrics, 'dropped_iterations')} arrivals were dropped because k6 had nobody left to send them, so no latency of this run counts. Not held: ${why}.`;
}

/** Returns the violated thresholds, as "metric: expression". */
function crossed(metrics) {
  return Object.entries(metrics).flatMap(([name, metric]) => Object.entries(metric.thresholds || {})
    .filter(([, { ok }]) => !ok)
    .map(([expression]) => `${name}: ${expression}`));
}

/**
 * Returns the sum of a counter. Of a counter with tags it returns the worst tag, because the sum
 * could hide a loss behind a gain.
 */
function count(metrics, name) {
  const tagged = Object.entries(metrics).filter(([key]) => key.startsWith(`${name}{`));
  const found = tagged.length > 0 ? tagged.map(([, metric]) => metric) : [metrics[name]];
  return Math.max(0, ...found.filter(Boolean).map((metric) => metric.values.count));
}

function heading(about) {
  const { perSecond, seconds } = arrivalsOf(about);
  return phase === 'closed'
    ? `${about.title}: closed loop, ${stepSeconds} s a step`
    : `${about.title}: open loop, ${perSecond} arrivals/s for ${seconds} s`;
}

function latencies(metrics) {
  const { med, 'p(95)': p95, 'p(99)': p99, max } = metrics.http_req_duration.values;
  const note = isBusy ? ' (other processes used the processors)' : '';
  return `p50 ${ms(med)}, p95 ${ms(p95)}, p99 ${ms(p99)}, max ${ms(max)}${note}`;
}

function text(metrics, about, failed, closed) {
  const lines = ['', heading(about)];
  for (const [name, words] of Object.entries(about.promises)) lines.push(`  ${count(metrics, name)} ${words}`);
  for (const [name, words] of Object.entries(about.figures)) lines.push(`  ${count(metrics, name)} ${words}`);
  if (closed) {
    for (const { vus, perSecond, p50, p95 } of closed) {
      lines.push(`  ${String(vus).padStart(3)} callers: ${perSecond.toFixed(0)} iterations/s, p50 ${ms(p50)}, p95 ${ms(p95)}`);
    }
    lines.push(`  knee at ${knee(closed).vus} callers`);
  } else {
    lines.push(`  latency ${latencies(metrics)}`);
  }
  lines.push(`  ${verdict(metrics, failed)}`, '');
  return lines.join('\n');
}

function part(metrics, about, failed, closed) {
  const rows = (words, mustBeZero) => Object.entries(words).map(([name, label]) => {
    const n = count(metrics, name);
    const kind = !mustBeZero ? '' : n === 0 ? ' class="good"' : ' class="bad"';
    return `<tr${kind}><td>${escape(label)}</td><td>${n}</td></tr>`;
  }).join('\n');
  return `<section>
<h2>${escape(heading(about))}</h2>
<p class="${failed.length === 0 ? 'good' : 'bad'}">${escape(verdict(metrics, failed))}</p>
${about.charts || chart(metrics, closed)}
<table><caption>Must be 0</caption>
${rows(about.promises, true)}
</table>
<table><caption>What was done</caption>
${rows(about.figures, false)}
</table>
${closed ? stepTable(closed) : `<p>Latency of a request: ${latencies(metrics)}.</p>`}
<p>${__ENV.K6_WEB_DASHBOARD === 'true' ? `<a href="${about.name}-${phase}.html">over time</a> · ` : ''}<a href="${about.name}-${phase}.json">all numbers</a></p>
</section>
`;
}

function chart(metrics, closed) {
  if (!closed) {
    const groups = [{ name: 'A request', tone: 'accepted', values: percentiles(metrics.http_req_duration) }];
    return barChart({ title: 'Latency', unit: 'open loop', groups });
  }
  const byCallers = (name) => closed.map((step) => [step.vus, step[name]]);
  return barChart({
    title: 'By callers', unit: `closed loop, the knee is at ${knee(closed).vus}`,
    groups: [
      { name: 'Iterations a second', tone: 'arrived', values: byCallers('perSecond'), format: plain },
      { name: 'p95 of a request', tone: 'queued', values: byCallers('p95') },
    ],
  });
}

function stepTable(closed) {
  const best = knee(closed);
  const rows = closed.map((step) => `<tr${step === best ? ' class="knee"' : ''}><td>${step.vus}</td><td>${step.perSecond.toFixed(0)}</td><td>${ms(step.p50)}</td><td>${ms(step.p95)}</td></tr>`);
  return `<table><caption>The knee is at ${best.vus} callers</caption>
<tr><th>callers</th><th>iterations/s</th><th>p50 of a request</th><th>p95</th></tr>
${rows.join('\n')}
</table>`;
}
