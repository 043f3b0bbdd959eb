export const statuses = ['pending', 'paid', 'shipped', 'completed', 'cancelled'] as const;

/** A day as an input of type date gives it. */
export function aDay(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
}

/** The moment a day begins where the browser is, some days later when asked. */
export function startOf(day: string, later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
