import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPage } from '@/test/render';
import { History, type Paged } from './History';

const read: Paged<unknown> = {
  data: { pages: [{ items: [] }], pageParams: [] },
  error: null,
  hasNextPage: false,
  isFetching: false,
  fetchNextPage: () => Promise.reject(new Error('there is none')),
  refetch: () => Promise.reject(new Error('it is read')),
};

const entry = (version: number) => ({ version, changedBy: { id: 7, name: 'Li' }, changedTime: '2026-01-01T00:00:00Z', action: 'changed it' });

test.each([
  ['versions were removed', read, 3, true],
  ['it is whole', read, 1, false],
  ['older versions can be loaded', { ...read, hasNextPage: true }, 3, false],
])('a history with deleted entries says so: %s', async (_, query, oldest, isSaid) => {
  await renderPage(
    () => <History query={query} entries={[entry(4), entry(oldest)]} />,
    () => ({}),
  );
  await screen.findByText('v4');
  expect(screen.queryByText(/^Versions before v3 have been deleted/) !== null).toBe(isSaid);
});
