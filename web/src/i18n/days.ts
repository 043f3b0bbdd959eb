const day = 86_400_000;

/** The local time of a zone at an instant, as if it were in UTC, in ms since 1970. */
function localTime(zone: string, instant: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** The first instant of a day (`2026-01-31`) in a zone, or of the day `later` days after it. */
export function startIn(zone: string, date: string, later = 0): string {
  const midnight = Date.parse(`${date}T00:00:00Z`) + later * day;
  const guess = midnight - (localTime(zone, midnight) - midnight);
  // The offset at the guess can differ from the offset at the midnight in UTC.
  return new Date(midnight - (localTime(zone, guess) - guess)).toISOString();
}

/** The day in a zone at an instant. */
export const dayIn = (zone: string, instant: number): string => new Date(localTime(zone, instant)).toISOString().slice(0, 10);
