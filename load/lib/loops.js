// The kinds of load: a closed loop to find the knee, an open loop to measure latency.
//
// In a closed loop a slow service slows its callers down, so its latencies are too low; it measures
// throughput. In an open loop arrivals do not wait: its latency is that of a caller, as long as no
// arrival was dropped.
//
// Environment: INTERLOCK_LOAD_PHASE closed|open, INTERLOCK_LOAD_STEPS (VUs of the closed steps),
// INTERLOCK_LOAD_STEP_SECONDS, INTERLOCK_LOAD_RATE (iterations/s of the open loop),
// INTERLOCK_LOAD_OPEN_SECONDS, INTERLOCK_LOAD_OPEN_VUS.

export const phase = __ENV.INTERLOCK_LOAD_PHASE || 'closed';
export const steps = (__ENV.INTERLOCK_LOAD_STEPS || '1,2,4,8,16,32').split(',').map(Number);
export const stepSeconds = Number(__ENV.INTERLOCK_LOAD_STEP_SECONDS || 5);
export const rate = Number(__ENV.INTERLOCK_LOAD_RATE || 20);
export const openSeconds = Number(__ENV.INTERLOCK_LOAD_OPEN_SECONDS || 30);
/** Whether other processes used the processors before the run. */
export const isBusy = __ENV.INTERLOCK_LOAD_BUSY === 'true';
const openVUs = Number(__ENV.INTERLOCK_LOAD_OPEN_VUS || 150);

export const summaryTrendStats = ['avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'max'];

/** The name of the closed scenario with that many VUs; k6 tags every sample with it. */
export function stepName(vus) {
  return `closed_${vus}`;
}

export function scenarios() {
  return phase === 'open' ? openLoop() : closedLoop();
}

function closedLoop() {
  const result = {};
  steps.forEach((vus, i) => {
    result[stepName(vus)] = {
      executor: 'constant-vus',
      vus,
      duration: `${stepSeconds}s`,
      // The last iterations of a step end in this second, not in the next step.
      startTime: `${i * (stepSeconds + 1)}s`,
      gracefulStop: '20s',
    };
  });
  return result;
}

function openLoop() {
  return {
    open: {
      executor: 'constant-arrival-rate',
      rate,
      timeUnit: '1s',
      duration: `${openSeconds}s`,
      preAllocatedVUs: openVUs,
      maxVUs: openVUs,
      gracefulStop: '20s',
    },
  };
}

/**
 * The thresholds of the loop. A dropped iteration voids an open run: the arrivals with the longest
 * wait were never sent. k6 stores a separate series for a step only if a threshold names it, so each
 * step has a threshold that is always true.
 */
export function loopThresholds() {
  if (phase === 'open') return { dropped_iterations: ['count==0'] };
  const result = {};
  for (const vus of steps) {
    result[`iterations{scenario:${stepName(vus)}}`] = ['count>0'];
    result[`http_req_duration{scenario:${stepName(vus)}}`] = ['max>=0'];
  }
  return result;
}

/**
 * In the open loop, 99 % of the named requests are faster than 100 ms. While other processes use the
 * processors (INTERLOCK_LOAD_BUSY), latencies are only reported: k6 reports the latencies of one
 * request only with a threshold, so it has one that is always true.
 */
export function latencyThreshold(name) {
  return phase === 'open' ? { [`http_req_duration{name:${name}}`]: [isBusy ? 'p(99)>=0' : 'p(99)<100'] } : {};
}

/** Returns the throughput of each closed step: [{vus, perSecond, p50, p95}] from k6's summary data. */
export function closedSteps(metrics) {
  return steps.map((vus) => {
    const iterations = metrics[`iterations{scenario:${stepName(vus)}}`];
    const duration = metrics[`http_req_duration{scenario:${stepName(vus)}}`];
    return {
      vus,
      perSecond: iterations ? iterations.values.count / stepSeconds : 0,
      p50: duration ? duration.values.med : 0,
      p95: duration ? duration.values['p(95)'] : 0,
    };
  });
}

/**
 * Returns the first step with at least 95 % of the best throughput: beyond it more callers only wait
 * longer.
 */
export function knee(measured) {
  const best = Math.max(...measured.map((step) => step.perSecond));
  return measured.find((step) => step.perSecond >= 0.95 * best);
}
