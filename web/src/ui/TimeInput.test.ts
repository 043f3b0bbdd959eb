import { expect, test } from 'vitest';
import { fromLocal, toLocal } from './TimeInput';

test('a time has the browser’s zone, and seconds only if nonzero', () => {
  for (const local of ['2026-03-01T08:05', '2026-03-01T08:05:07']) expect(toLocal(fromLocal(local, false) ?? '', false)).toBe(local);
  expect(fromLocal('', false)).toBeNull();
});

test('a UTC time is parsed as displayed', () => {
  for (const local of ['2026-03-01T08:05', '2026-03-01T08:05:07']) {
    expect(Date.parse(fromLocal(local, true) ?? '')).toBe(Date.parse(`${local}Z`));
    expect(toLocal(fromLocal(local, true) ?? '', true)).toBe(local);
  }
  expect(fromLocal('', true)).toBeNull();
  expect(toLocal('yesterday', true)).toBe('');
});
