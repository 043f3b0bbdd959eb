import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiProblem } from '@/api';
import type { Campaign } from './queries';
import { issueCoupons } from './queries';
import { useIssuing } from './useIssuing';

vi.mock(import('./queries'), async (original) => ({ ...(await original()), issueCoupons: vi.fn() }));

const campaign = { id: 7, name: 'Spring', total: 100, issued: 0, validFrom: '2020-01-01T00:00:00Z', validTo: '2999-01-01T00:00:00Z' } as Campaign;
const rejection = (members: object) =>
  new ApiProblem({ code: 'limit_reached', title: '', detail: 'no more', status: 409, requestId: '' }, JSON.stringify(members));
const rows = ['12', '13', '14'].map((id) => ({ id, label: id }));

test('rejected customers are reported, the others are issued under a derived key', async () => {
  const issue = vi.mocked(issueCoupons);
  issue.mockRejectedValueOnce(rejection({ userIds: ['13'] })).mockResolvedValueOnce({ codes: ['A', 'B'] });
  const { result } = renderHook(() => useIssuing(campaign));

  const results = await result.current.send(rows, {}, 'k-0');

  expect(results.toSorted((a, b) => a.id.localeCompare(b.id))).toMatchObject([
    { id: '12', verdict: 'done', made: 'A' },
    { id: '13', verdict: 'rejected', said: { code: 'has_all' } },
    { id: '14', verdict: 'done', made: 'B' },
  ]);
  expect(issue.mock.calls).toEqual([
    [7, { userIds: ['12', '13', '14'] }, 'k-0'],
    [7, { userIds: ['12', '14'] }, 'k-0-without-1'],
  ]);
});

test('an issue above the remaining coupons issues none', async () => {
  vi.mocked(issueCoupons).mockRejectedValueOnce(rejection({ left: 2 }));
  const { result } = renderHook(() => useIssuing(campaign));
  await expect(result.current.send(rows, {}, 'k-0')).rejects.toMatchObject({ code: 'limit_reached' });
});

test('an ended campaign sends nothing, and its limit is not an error of a customer', () => {
  const { result } = renderHook(() => useIssuing({ ...campaign, validTo: '2021-01-01T00:00:00Z' }));
  expect(result.current.skip({ userId: '12' }, {}, undefined)).toMatch(/over|ended/i);
  const said = { code: 'limit_reached', text: 'Only 2 are left.' };
  expect(result.current.describe?.({ id: '12', verdict: 'rejected', said }, undefined)).toBeFalsy();
});
