// Charts as HTML and SVG without scripts or external resources. Colours are classes of
// report.head.html, which has both colour schemes; labels are outside the drawing, so that they
// retain their size on a narrow screen.

const width = 1000;
const height = 300;

/**
 * Lines over time. `lines` are [{name, tone, values, filled?}], one value for each of `seconds`; `format`
 * writes a value.
 */
export function lineChart({ title, unit, seconds, lines, format = plain }) {
  const last = Math.max(1, ...seconds);
  const peak = niceAbove(Math.max(1, ...lines.flatMap(({ values }) => values)));
  const x = (second) => ((second / last) * width).toFixed(1);
  const y = (value) => (height - (value / peak) * height).toFixed(1);
  const drawn = lines.map(({ tone, values, filled }) => {
    const points = values.map((value, i) => `${x(seconds[i])},${y(value)}`).join(' ');
    const area = filled ? `<polygon class="area ${tone}" points="${x(seconds[0] || 0)},${height} ${points} ${x(last)},${height}"/>` : '';
    return `${area}<polyline class="line ${tone}" points="${points}"/>`;
  }).join('');
  const grid = [0.25, 0.5, 0.75].map((share) => `<path class="grid" d="M0 ${height * share}H${width}"/>`).join('');
  const legend = lines.map(({ name, tone, values }) => `<li><span class="swatch ${tone}"></span>${escape(name)}, at most <b>${format(Math.max(0, ...values))}</b></li>`).join('');
  const said = `${title}, ${unit}, over ${Math.round(last)} s: ${lines.map(({ name, values }) => `${name} at most ${format(Math.max(0, ...values))}`).join('; ')}`;
  return `<figure>
<figcaption>${escape(title)} <span>${escape(unit)}</span></figcaption>
<div class="plot"><div class="side"><span>${format(peak)}</span><span>${format(peak / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${escape(said)}">${grid}${drawn}</svg>
<div class="below"><span>0 s</span><span>${Math.round(last / 2)} s</span><span>${Math.round(last)} s</span></div></div>
<ul class="legend">${legend}</ul>
</figure>`;
}

/** Bars, a scale for each group: `groups` are [{name, tone, values: [[label, value], …], format?}], in ms. */
export function barChart({ title, unit, groups }) {
  const rows = groups.map(({ name, tone, values, format = milliseconds }) => {
    const most = Math.max(...values.map(([, value]) => value), 0.001);
    const bars = values.map(([label, value]) => `<dt>${label}</dt><dd><span class="bar ${tone}" style="width:${((value / most) * 100).toFixed(1)}%"></span></dd><dd class="value">${format(value)}</dd>`).join('');
    return `<h4>${escape(name)}</h4><dl class="bars">${bars}</dl>`;
  }).join('\n');
  return `<figure>
<figcaption>${escape(title)} <span>${escape(unit)}</span></figcaption>
${rows}
</figure>`;
}

export function milliseconds(value) {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`;
}

export function escape(words) {
  return words.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** The percentiles of one of k6's trends, as values of a bar chart; zeros of one without a sample. */
export function percentiles(trend) {
  const { med = 0, 'p(95)': p95 = 0, 'p(99)': p99 = 0, max = 0 } = trend ? trend.values : {};
  return [['p50', med], ['p95', p95], ['p99', p99], ['max', max]];
}

/** Formats a whole number with a thin space between thousands. */
export function plain(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** Returns a round number of at least the value, with a round half. */
function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((digit) => digit * power).find((step) => step >= value);
}
