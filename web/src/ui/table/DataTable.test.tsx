import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPage } from '@/test/render';
import { session } from '@/test/service';
import { ApiProblem, sessionStore } from '@/api';
import { DataTable, oneOf, tableSearch, useColumn, useList, useSelection, type Column, type ListPage, type Raw, type TableSearch } from '.';

interface Row {
  id: number;
  name: string;
  status: string;
}
interface Search extends TableSearch {
  status?: 'open' | 'closed';
}

const all: Row[] = Array.from({ length: 60 }, (_, i) => ({ id: i + 1, name: `Row ${i + 1}`, status: i % 2 === 0 ? 'open' : 'closed' }));
const columns: Column<Row>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, text: (row) => row.name, sort: 'name', narrow: true },
  { id: 'status', header: 'Status', cell: (row) => row.status, text: (row) => row.status },
  { id: 'secret', header: 'Secret', cell: () => 'hidden', optional: true },
];
const validate = tableSearch({ status: oneOf('open', 'closed') });

const opened = vi.fn();
let answer: (search: Search) => ListPage<Row>;

/** A service of sixty rows, twenty-five per page. */
function pageOf({ cursor, status, limit = 50, q }: Search): ListPage<Row> {
  const rows = all.filter((row) => (status === undefined || row.status === status) && (q === undefined || row.name.includes(q)));
  const from = Number(cursor ?? 0);
  const end = from + limit;
  return { items: rows.slice(from, end), nextCursor: end < rows.length ? String(end) : null, total: rows.length, totalIsExact: true };
}

function Page({ search }: { search: Raw<Search> }) {
  const list = useList<Search, Row>({ search, queryKey: ['rows'], read: (asked) => Promise.resolve(asked).then(answer) });
  const selection = useSelection<Row>((row) => String(row.id), search);
  return (
    <>
      <DataTable
        id="rows"
        label="Rows"
        columns={columns}
        rowId={(row) => String(row.id)}
        rowLabel={(row) => row.name}
        list={list}
        selection={selection}
        open={opened}
      />
      <output>{selection.all ? `all but ${selection.except.size}` : selection.rows.map(({ id }) => id).join(',')}</output>
    </>
  );
}

beforeEach(() => {
  sessionStore.signedIn(session());
  answer = pageOf;
  opened.mockReset();
});

const rows = () => screen.getAllByRole('row').slice(1);
// Without a delay between the keys, which a busy machine stretches.
const user = userEvent.setup({ delay: null });

test('filters, order and page are in the URL and its history', async () => {
  const { address } = await renderPage(Page, validate, '/?limit=25&status=open');
  expect(await screen.findByText('Row 1')).toBeTruthy();
  expect(screen.getByText('1–25 of 30')).toBeTruthy();

  await user.click(screen.getByRole('button', { name: 'Next page' }));
  expect(await screen.findByText('26–30 of 30')).toBeTruthy();
  expect(address()).toContain('cursor=25');
  expect(address()).toContain('status=open');

  await user.click(screen.getByRole('button', { name: 'Previous page' }));
  expect(await screen.findByText('1–25 of 30')).toBeTruthy();

  await user.click(screen.getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(address()).toContain('sort=name'));
  expect(address()).not.toContain('cursor');
  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
});

test('an unreadable filter stays in the URL, empty ones are removed', () => {
  const search = validate({ status: 'stolen', limit: '7', cursor: 'c', q: 12, sort: '', extra: 1 });
  expect(search).toEqual({ cursor: 'c', q: '12', status: { unreadable: 'stolen' } });
  expect(validate(search)).toEqual(search);
});

test('an unreadable filter shows no rows and offers to clear it', async () => {
  const { address } = await renderPage(Page, validate, '/?status=stolen');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('stolen');
  expect(screen.queryByText('Row 1')).toBeNull();
  expect(address()).toContain('stolen');

  await user.click(within(alert).getByRole('button', { name: 'Clear the filters' }));

  expect(await screen.findByText('Row 1')).toBeTruthy();
  expect(address()).toBe('/');
});

test('a rejected cursor offers the first page', async () => {
  answer = ({ cursor }) => {
    if (cursor !== undefined) throw new ApiProblem({ code: 'malformed_request', title: '', detail: 'It is no cursor.', status: 400, requestId: 'r' });
    return pageOf({});
  };
  await renderPage(Page, validate, '/?cursor=nonsense');
  await user.click(await screen.findByRole('button', { name: 'Show from the beginning' }));
  expect(await screen.findByText('Row 1')).toBeTruthy();
});

test('a search starts after a pause, at the first page', async () => {
  const { address } = await renderPage(Page, validate, '/?limit=25&cursor=25');
  await screen.findByText('Row 26');

  await user.type(screen.getByRole('searchbox', { name: 'Search' }), 'Row 6');

  expect(await screen.findByText('1–2 of 2')).toBeTruthy();
  expect(address()).toContain('q=Row+6');
  expect(address()).not.toContain('cursor');
});

test('typing continues during a search', async () => {
  const { address } = await renderPage(Page, validate, '/?limit=25');
  const input = await screen.findByRole('searchbox', { name: 'Search' });
  await user.type(input, 'Row');
  await waitFor(() => expect(address()).toContain('q=Row'));
  await user.keyboard(' 12');

  await waitFor(() => expect(address()).toContain('q=Row+12'));
  expect(document.activeElement).toBe(input);
  expect((input as HTMLInputElement).value).toBe('Row 12');
});

test('arrow keys move between rows, Enter opens, Space chooses', async () => {
  await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');

  rows()[0]?.focus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(rows()[2]);
  await user.keyboard(' ');
  await user.keyboard('{Enter}');
  await user.keyboard('{End}');

  expect(opened).toHaveBeenCalledExactlyOnceWith(all[2]);
  expect(screen.getByText('1 chosen')).toBeTruthy();
  expect(document.activeElement).toBe(rows().at(-1));
});

test('selected rows stay selected on other pages', async () => {
  await renderPage(Page, validate, '/?limit=25');
  await user.click(await screen.findByRole('checkbox', { name: 'Choose Row 2' }));
  await user.click(screen.getByRole('button', { name: 'Next page' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Choose Row 30' }));

  expect(document.querySelector('output')?.textContent).toBe('2,30');
});

test('all matching rows can be selected, and single ones excluded', async () => {
  await renderPage(Page, validate, '/?limit=25&status=open');
  await user.click(await screen.findByRole('checkbox', { name: 'Choose all rows of this page' }));
  expect(screen.getByText('25 chosen')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Choose all 30 that match' }));
  await user.click(screen.getByRole('checkbox', { name: 'Choose Row 3' }));

  expect(document.querySelector('output')?.textContent).toBe('all but 1');
  expect(screen.getByText('29 chosen')).toBeTruthy();
});

test('a selection of all ends when filters change', async () => {
  await renderPage(Page, validate, '/?limit=25&status=open');
  await user.click(await screen.findByRole('checkbox', { name: 'Choose all rows of this page' }));
  await user.click(screen.getByRole('checkbox', { name: 'Choose Row 1' }));
  await user.click(screen.getByRole('button', { name: 'Choose all 30 that match' }));
  await user.click(screen.getByRole('button', { name: /^Status: / }));

  await waitFor(() => expect(screen.queryByText(/chosen/)).toBeNull());
});

test('the chosen columns are stored', async () => {
  const { unmount } = await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');
  await user.click(screen.getByRole('button', { name: 'Columns' }));
  await user.click(screen.getByRole('checkbox', { name: 'Status' }));
  await user.click(screen.getByRole('checkbox', { name: 'Secret' }));
  unmount();

  await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');
  expect(screen.getAllByRole('columnheader').map((cell) => cell.textContent)).toEqual(['', 'Name', 'Secret']);
});

test('phone columns are separate, and the export has all desktop columns', async () => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    media,
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }));
  let file = '';
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    void (blob as Blob).text().then((text) => (file = text));
    return 'blob:file';
  });
  const headers = () => screen.getAllByRole('columnheader').map((cell) => cell.textContent);
  await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');
  expect(headers()).toEqual(['', 'Name']);
  await user.click(screen.getByRole('button', { name: 'Export as CSV' }));
  await waitFor(() => expect(file).toContain('Name,Status'));

  await user.click(screen.getByRole('button', { name: 'Columns' }));
  await user.click(screen.getByRole('checkbox', { name: 'Secret' }));
  expect(headers()).toEqual(['', 'Name', 'Secret']);
  expect(localStorage.getItem('interlock.columns.rows')).toBeNull();
});

test('empty, unmatched and failed lists have different texts', async () => {
  answer = () => ({ items: [], nextCursor: null, total: 0, totalIsExact: true });
  const empty = await renderPage(Page, validate, '/?limit=25');
  expect(await screen.findByText('Nothing here yet')).toBeTruthy();
  empty.unmount();

  const filtered = await renderPage(Page, validate, '/?status=closed');
  await user.click(await screen.findByRole('button', { name: 'Clear the filters' }));
  await waitFor(() => expect(filtered.address()).toBe('/'));
  filtered.unmount();

  answer = () => {
    throw new ApiProblem({ code: 'unavailable', title: 'Not available', detail: 'The database cannot be reached.', status: 503, requestId: 'r-9' });
  };
  await renderPage(Page, validate, '/?limit=25');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('The database cannot be reached.');
  answer = pageOf;
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Row 1')).toBeTruthy();
});

test('an inexact total says so, and all rows can be selected', async () => {
  answer = (search) => ({ ...pageOf(search), total: 25, totalIsExact: false });
  await renderPage(Page, validate, '/?limit=25');
  await user.click(await screen.findByRole('checkbox', { name: 'Choose all rows of this page' }));
  expect(screen.getByText('25 chosen')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Choose all 25+ that match' }));
  expect(screen.getByText('25+ chosen')).toBeTruthy();
});

test('a resized column persists until it is reset', async () => {
  const page = await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');
  const edge = () => screen.getByRole('separator', { name: /^Width of Name/ });
  const columnsOf = () => [...document.querySelectorAll('col')].map(({ style }) => style.width);
  expect(columnsOf()).toEqual([]);
  edge().focus();
  await user.keyboard('{ArrowRight}');
  const first = Number(edge().getAttribute('aria-valuenow'));
  expect(columnsOf()).toContain(`${first}px`);
  page.unmount();

  await renderPage(Page, validate, '/?limit=25');
  await screen.findByText('Row 1');
  expect(edge().getAttribute('aria-valuenow')).toBe(String(first));
  edge().focus();
  await user.keyboard('{Escape}');
  expect(columnsOf()).toEqual([]);
});

test.each([
  { shown: ['count', 'amount'], labels: ['Units', 'Total'] },
  { shown: ['count'], labels: ['Units'] },
  { shown: ['amount'], labels: [] },
])('numbers have labels on phones: $shown', async ({ shown, labels }) => {
  function Numbers({ search }: { search: Raw<Search> }) {
    const column = useColumn<Row>();
    const list = useList<Search, Row>({ search, queryKey: ['rows'], read: (asked) => Promise.resolve(asked).then(answer) });
    const numbers = [column.count('count', 'Units', ({ id }) => id), column.money('amount', 'Total', ({ id }) => id * 100)];
    return (
      <DataTable
        id="numbers"
        label="Numbers"
        columns={[column.text('name', 'Name', ({ name }) => name), ...numbers.filter(({ id }) => shown.includes(id))]}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        list={list}
      />
    );
  }
  await renderPage(Numbers, validate, '/?limit=1');
  const row = (await screen.findByText('Row 1')).closest('tr');
  expect([...(row?.querySelectorAll('[data-label]') ?? [])].map((cell) => cell.getAttribute('data-label'))).toEqual(labels);
});
