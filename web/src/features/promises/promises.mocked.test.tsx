import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Surroundings } from '@/test/render';
import { saysInChinese } from './messages';
import { QuotaWarning, Verdict } from './PromisesPage';
import { PromiseRow } from './PromiseRow';
import { byGuarantee, allCheckedSince, type Promised } from './queries';

vi.mock('@/ui/RecordLink', () => ({ RecordLink: ({ path }: { path: string }) => path }));

const kept: Promised = {
  name: 'wallet-balances',
  guarantee: 'G4',
  says: 'The entries of each wallet add up.',
  tests: ['TestOne'],
  faults: [],
  state: 'kept',
  lastTrueTime: '2026-11-22T12:00:00Z',
  lookedTime: '2026-11-22T12:00:00Z',
  rows: 4711,
  busySeconds: 0.3,
  looking: null,
  violated: 0,
  violations: [],
};
const broken: Promised = {
  ...kept,
  name: 'order-money',
  state: 'violated',
  lastTrueTime: null,
  violated: 23,
  violations: [{ subject: 'elsewhere/7', foundTime: '2026-11-22T12:00:00Z' }],
};
const unknown: Promised = { ...kept, name: 'config-content', guarantee: 'G1', state: 'unknown', lookedTime: null, lastTrueTime: null };

test('a promise shows its number of checked rows and its proof', () => {
  render(<PromiseRow promised={kept} />, { wrapper: Surroundings });
  const row = screen.getByRole('listitem');
  expect(row.textContent).toContain('The entries of each wallet add up.Satisfied');
  expect(row.textContent).toContain('4,711 rows checked');
  expect(row.textContent).toContain('TestOne');
  expect(row.textContent).not.toContain('Violated by');
});

test('a violated promise shows its cause and since when', () => {
  render(<PromiseRow promised={broken} />, { wrapper: Surroundings });
  const row = screen.getByRole('listitem');
  expect(row.textContent).toContain('Violated by elsewhere/7 and 22 more');
  expect(row.textContent).toContain('last valid never since the first check');
});

test('an almost full key quota shows holders and numbers', () => {
  render(<QuotaWarning quota={{ holders: 'customer', keys: 91000, quota: 110000, almostFull: true }} />, { wrapper: Surroundings });
  expect(screen.getByText('The customers have 91,000 of 110,000 idempotency keys')).toBeTruthy();
});

test.each([
  [[kept], 'status', 'All promises are satisfied'],
  [[kept, broken], 'alert', '1 promise is violated'],
  [[kept, unknown], 'status', 'The first check is not complete'],
] as const)('the summary of all promises: %#', (list, role, says) => {
  render(<Verdict list={list} />, { wrapper: Surroundings });
  expect(screen.getByRole(role).textContent).toContain(says);
});

test('promises are grouped by guarantee, with the age of the oldest check', () => {
  expect(byGuarantee([kept, unknown, broken]).map(([guarantee, list]) => [guarantee, list.length])).toEqual([
    ['G1', 1],
    ['G4', 2],
  ]);
  expect(allCheckedSince([{ ...kept, lookedTime: '2026-11-22T13:00:00Z' }, kept])).toBe('2026-11-22T12:00:00Z');
  expect(allCheckedSince([kept, unknown])).toBeUndefined();
});

test('each promise has a Chinese sentence', () => {
  for (const says of Object.values(saysInChinese)) expect(says).toMatch(/。$/);
});
