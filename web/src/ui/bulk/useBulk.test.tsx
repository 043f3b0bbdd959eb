import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import type { BulkAction } from './action';
import { fixedSelection } from './fixedSelection';
import { rowUse } from './rowValues';
import type { Result } from './run';
import { useBulk } from './useBulk';

interface Row {
  id: string;
}

const action: BulkAction<Row, { reason: string }> = {
  id: 'void',
  labels: { title: () => 'Void', confirm: () => 'Void' },
  size: 1,
  file: { kind: 'coupons', key: 'code', label: 'Code' },
  table: { button: 'Void a list', find: (id) => Promise.resolve({ id }) },
  open: () => ({ reason: '' }),
  skip: () => undefined,
  item: ({ id }) => ({ id, label: id }),
  send: (items) => send(items.map(({ id }) => id)),
};
const send = vi.fn<(ids: string[]) => Promise<Result<Row>[]>>();
const rowId = ({ id }: Row) => id;
const chosen = { selection: fixedSelection<Row>([], rowId, undefined), readPage: () => Promise.reject(new Error('not read')), shown: [] };
const open = (bulk = action) =>
  renderHook(() => useBulk({ list: 'coupons', action: bulk, rowId, chosen, isTable: true, watched: undefined, topic: 'coupons' }), { wrapper: Surroundings });

/** The requests with tables: path and query. */
const requests: string[] = [];

/** The replies of the service to tables. */
const replies = (...rows: Record<string, string>[]) =>
  vi.stubGlobal('fetch', ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url);
    requests.push(`${pathname} ${searchParams}`);
    return Promise.resolve(
      Response.json({
        encoding: 'utf-8',
        encodings: ['utf-8'],
        separator: 'comma',
        decimal: null,
        hasHeader: true,
        isMapped: true,
        columns: Object.keys(rows[0] ?? {}).map((use) => ({ header: use, use, example: '' })),
        rows: rows.map((values, i) => ({ line: i + 2, lastLine: i + 2, values })),
        rejected: [],
      }),
    );
  });

beforeEach(() => {
  replies({ code: 'A-1' }, { code: 'A-2' });
  sessionStore.signedIn(session());
  drafts.clear(ownerOf('default', 7));
  send.mockReset();
  requests.length = 0;
});

test('a table and other input are restored together', () => {
  const first = open();
  const { setTable } = first.result.current.own;
  act(() => first.result.current.change({ reason: 'a mistake' }));
  act(() => setTable('A\nB'));
  expect(first.result.current.input).toEqual({ reason: 'a mistake' });
  first.unmount();

  const second = open();
  expect(second.result.current).toMatchObject({ input: { reason: 'a mistake' }, own: { table: 'A\nB' } });
  expect(second.result.current.restored).toBeTypeOf('number');
  act(() => second.result.current.startOver());
  expect(second.result.current).toMatchObject({ input: { reason: '' }, own: { table: '' }, restored: undefined });
  second.unmount();
  expect(open().result.current.own.table).toBe('');
});

test('each row is sent with its values of the table', async () => {
  const columns = () => [{ name: 'trackingNo', label: 'Tracking number', isNeeded: true }];
  replies({ code: 'A-1', trackingNo: 'T1' }, { code: 'A-2', trackingNo: 'T2' });
  const { result } = open({ ...action, columns });
  act(() => result.current.own.setTable('code\ttrackingNo\nA-1\tT1\nA-2\tT2'));
  await waitFor(() => expect(result.current.plan.eligible).toHaveLength(2));
  expect(result.current.plan.eligible.map(({ item }) => item.values)).toEqual(['{"trackingNo":"T1"}', '{"trackingNo":"T2"}']);
  expect(requests).toEqual(['/api/v1/imports/coupons/preview columns=code%2CtrackingNo']);
  act(() => result.current.own.setLayout({ hasHead: true, uses: [rowUse, null], decimal: 'comma', first: 'code\ttrackingNo', isConfirmed: true }));
  await waitFor(() => expect(requests).toHaveLength(2));
  expect(requests[1]).toBe('/api/v1/imports/coupons/preview columns=code%2CtrackingNo&decimal=comma&header=true&mapping=code%2C');
});

test('remaining lines are sent without the completed ones, and the text stays', async () => {
  send.mockImplementation((ids) => Promise.resolve(ids.map((id) => ({ id, verdict: id === 'A-1' ? 'done' : 'rejected' }))));
  const { result, unmount } = open();
  act(() => result.current.own.setTable('code\nA-1\nA-2'));
  await waitFor(() => expect(result.current.plan.eligible).toHaveLength(2));
  act(() => result.current.start());
  await waitFor(() => expect(result.current.phase).toBe('done'));
  expect(result.current.linesLeft).toBe(1);
  act(() => result.current.continueRemaining());
  await waitFor(() => expect(result.current.plan.eligible.map(({ label }) => label)).toEqual(['A-2']));
  expect(result.current.own.table).toBe('code\nA-1\nA-2');
  expect(result.current.plan.skipped).toEqual([{ item: { id: 'A-1', label: 'A-1' }, reason: { left: 'alreadyDone' } }]);
  unmount();

  const reloaded = open();
  await waitFor(() => expect(reloaded.result.current.plan.eligible.map(({ label }) => label)).toEqual(['A-2']));
  act(() => reloaded.result.current.own.openTable('code\nA-1\nA-2 '));
  await waitFor(() => expect(reloaded.result.current.plan.eligible).toHaveLength(2));
});

test.each([
  ['resumes on reconnect', false, [['A-1'], ['A-1'], ['A-2']]],
  ['waits for the user once its dialog was closed', true, [['A-1']]],
])('a run with an unknown outcome %s', async (_, isClosed, requests) => {
  const lost = new ApiProblem({ code: 'no_connection', title: '', detail: '', status: 0, requestId: '' });
  send.mockRejectedValueOnce(lost).mockImplementation((ids) => Promise.resolve(ids.map((id) => ({ id, verdict: 'done' }))));
  const { result, unmount } = open();
  act(() => result.current.own.setTable('A-1 A-2'));
  await waitFor(() => expect(result.current.plan.eligible).toHaveLength(2));
  act(() => result.current.start());
  await waitFor(() => expect(result.current.phase).toBe('broken'));
  if (isClosed) unmount();
  act(() => void window.dispatchEvent(new Event('online')));
  if (!isClosed) await waitFor(() => expect(result.current.phase).toBe('done'));
  expect(send.mock.calls.map(([ids]) => ids)).toEqual(requests);
});
