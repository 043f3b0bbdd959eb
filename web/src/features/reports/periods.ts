import type { ReportSearch } from './queries';

export type Period = Pick<ReportSearch, 'from' | 'to'>;

export const periodNames = ['last7', 'last30', 'thisMonth', 'lastMonth', 'thisYear'] as const;
export type PeriodName = (typeof periodNames)[number];

const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The periods that can be selected on a day (`2026-01-31`). The last 30 days are the default of the report, without limits. */
export function periodsOn(today: string): Record<PeriodName, Period> {
  const date = new Date(`${today}T00:00:00Z`);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return {
    last7: { from: at(year, month, day - 6), to: today },
    last30: {},
    thisMonth: { from: at(year, month, 1), to: today },
    lastMonth: { from: at(year, month - 1, 1), to: at(year, month, 0) },
    thisYear: { from: at(year, 0, 1), to: today },
  };
}
