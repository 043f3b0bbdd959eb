import { expect, test } from 'vitest';
import { dayIn, startIn } from './days';

test.each([
  ['Asia/Shanghai', '2026-01-31', 0, '2026-01-30T16:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', 0, '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', 1, '2026-03-29T22:00:00.000Z'],
  ['America/New_York', '2026-11-01', 0, '2026-11-01T04:00:00.000Z'],
  ['America/New_York', '2026-11-01', 1, '2026-11-02T05:00:00.000Z'],
])('a day of %s starts at its midnight: %s + %i', (zone, date, later, instant) => {
  expect(startIn(zone, date, later)).toBe(instant);
});

test('an instant belongs to the day of its zone', () => {
  expect(dayIn('Asia/Shanghai', Date.parse('2026-01-30T16:00:00Z'))).toBe('2026-01-31');
  expect(dayIn('UTC', Date.parse('2026-01-30T16:00:00Z'))).toBe('2026-01-30');
});
