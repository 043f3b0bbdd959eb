import { expect, test } from 'vitest';
import { fromLocal, toLocal } from './TimeInput';

test('a time is shown in the zone of the browser, with seconds only where it has some', () => {
  for (const local of ['2026-03-01T08:05', '2026-03-01T08:05:07']) expect(toLocal(fromLocal(local) ?? '')).toBe(local);
  expect(fromLocal('')).toBeNull();
});
