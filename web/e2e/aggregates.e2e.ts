import type { Visitor } from './browser';
import { expect, nightly, tenantSite, test } from './site';

interface Aggregate {
  version: number;
  counters: Record<string, number>;
  writers: Record<string, number>;
}

const eventTime = '2026-01-31T09:29:59.500Z';
const site = tenantSite();

const aggregate = (id: string) => site.request<Aggregate>('GET', `/aggregates/shelf/${id}`);
const append = (id: string, body: object) => site.request('POST', `/aggregates/shelf/${id}/events`, body);
const store = (id: string, clientSeq: number, amount: number) =>
  append(id, { clientId: 'scanner-3', enforceClientIdempotency: true, events: [{ clientSeq, eventType: 'stored', eventTime, deltas: { in: amount } }] });

const dialogOf = ({ page }: Visitor) => page.getByRole('dialog');
/** Inputs with suggestions are comboboxes. */
const inputOf = (visitor: Visitor, name: string) =>
  dialogOf(visitor)
    .getByRole('textbox', { name, exact: true })
    .or(dialogOf(visitor).getByRole('combobox', { name, exact: true }));
const fill = (visitor: Visitor, name: string, text: string) => inputOf(visitor, name).fill(text);
const press = (visitor: Visitor, name: string) => dialogOf(visitor).getByRole('button', { name, exact: true }).click();

async function type(visitor: Visitor, counter: string, amount: string): Promise<void> {
  await visitor.page.getByRole('button', { name: 'Record events' }).first().click();
  await fill(visitor, 'Event', 'corrected');
  await fill(visitor, 'Counter', counter);
  await fill(visitor, 'Delta', amount);
}

nightly('the first event creates an aggregate with exact counts', async () => {
  const visitor = await site.enter('/aggregates');
  const { page } = visitor;
  await type(visitor, 'in', '9007199254740993');
  await fill(visitor, 'Type', 'shelf');
  await fill(visitor, 'Id', 'A-1');
  await fill(visitor, 'Payload', '{"pallet": "P-9"}');
  await press(visitor, 'Record 1 event');
  await page.getByText('1 event recorded. The version is now 1.').waitFor();

  await page.getByRole('heading', { level: 1, name: 'shelf/A-1' }).waitFor();
  await page.getByRole('region', { name: 'Counters' }).getByText('9,007,199,254,740,993').waitFor();
  await page.getByRole('row').filter({ hasText: 'corrected' }).click();
  await dialogOf(visitor).getByText('"pallet": "P-9"').waitFor();
  await page.waitForURL(/event=1/);
  await visitor.check();
});

test('a count by another writer appears without a reload', async () => {
  await store('A-2', 1, 5);
  const visitor = await site.enter('/aggregates/shelf/A-2');
  await store('A-2', 2, 37);
  await visitor.page.getByRole('region', { name: 'Counters' }).getByText('42').waitFor();
  await visitor.page.getByRole('region', { name: 'Writers' }).getByText('2', { exact: true }).waitFor();
  await visitor.page.getByText('+37').waitFor();
});

test('a retried event with a lost reply is counted once', async () => {
  await store('A-3', 1, 5);
  const visitor = await site.enter('/aggregates/shelf/A-3');
  const { page } = visitor;
  await type(visitor, 'in', '2');
  let lost = 0;
  await page.route('**/aggregates/shelf/A-3/events', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch();
    return route.abort();
  });
  await press(visitor, 'Record 1 event');
  await page.getByText('1 event recorded. The version is now 2.').waitFor();
  expect(lost).toBe(1);
  expect(await aggregate('A-3')).toMatchObject({ version: 2, counters: { in: 7 } });
});

test('recorded events show their version, and only new ones are recorded', async () => {
  await append('A-4', {
    clientId: 'admin',
    events: [{ eventId: 'count-17', eventType: 'corrected', eventTime: '2026-01-31T09:30:00.000Z', deltas: { in: 2 } }],
  });
  const visitor = await site.enter('/aggregates/shelf/A-4');
  await type(visitor, 'in', '2');
  await fill(visitor, 'Event id', 'count-17');
  await dialogOf(visitor).getByLabel('Occurred').fill('2026-01-31T17:30:00');
  await press(visitor, 'Add an event');
  const second = dialogOf(visitor).getByRole('group', { name: 'Event 2' });
  await second.getByRole('textbox', { name: 'Event', exact: true }).fill('corrected');
  await second.getByRole('textbox', { name: 'Delta' }).fill('40');
  await press(visitor, 'Record 2 events');

  await dialogOf(visitor).getByText('Already counted at version 1').waitFor();
  expect(await aggregate('A-4')).toMatchObject({ version: 1, counters: { in: 2 } });
  await visitor.check('aggregates-landed-some');
  await press(visitor, 'Remove it');
  await press(visitor, 'Record 1 event');
  await visitor.page.getByText('1 event recorded. The version is now 2.').waitFor();
  expect(await aggregate('A-4')).toMatchObject({ version: 2, counters: { in: 42 } });
});

nightly('a mismatching event and a low sequence are rejected with a next step', async () => {
  await store('A-5', 7, 5);
  const visitor = await site.enter('/aggregates/shelf/A-5');
  await type(visitor, 'in', '2');
  await fill(visitor, 'Writer', 'scanner-3');
  await dialogOf(visitor).getByText('By sequence').click();
  await dialogOf(visitor).getByText('Last sequence of this writer: 7.').waitFor();
  expect(await inputOf(visitor, 'Sequence').inputValue()).toBe('8');
  await fill(visitor, 'Sequence', '7');
  await press(visitor, 'Record 1 event');
  await dialogOf(visitor).getByText('This id belongs to another event').waitFor();
  await dialogOf(visitor)
    .getByText(/at version 1 with different contents/)
    .waitFor();

  await fill(visitor, 'Sequence', '3');
  await press(visitor, 'Record 1 event');
  await dialogOf(visitor).getByText('scanner-3 has already recorded sequence 7').waitFor();
  await visitor.check('aggregates-superseded');
  expect((await aggregate('A-5')).version).toBe(1);
  await press(visitor, 'Number from 8');
  await press(visitor, 'Record 1 event');
  await visitor.page.getByText('1 event recorded. The version is now 2.').waitFor();
  expect(await aggregate('A-5')).toMatchObject({ counters: { in: 7 }, writers: { 'scanner-3': 8 } });
});

test('the loser of two records on one version reads the winner', async () => {
  await store('A-6', 1, 5);
  const visitor = await site.enter('/aggregates/shelf/A-6');
  await type(visitor, 'in', '-5');
  await dialogOf(visitor).getByRole('checkbox', { name: 'Only if the version is still 1' }).check();
  await store('A-6', 2, 30);
  await press(visitor, 'Record 1 event');
  await dialogOf(visitor)
    .getByText(/changed it to version 2/)
    .waitFor();
  expect(await aggregate('A-6')).toMatchObject({ version: 2, counters: { in: 35 } });
  await visitor.check();
  await press(visitor, 'Record on version 2');
  await press(visitor, 'Record 1 event');
  await visitor.page.getByText('1 event recorded. The version is now 3.').waitFor();
  expect(await aggregate('A-6')).toMatchObject({ version: 3, counters: { in: 30 } });
});

nightly('the list is filtered and opened by keyboard and shared by URL', async () => {
  await store('B-1', 1, 5);
  await site.request('POST', '/aggregates/till/1/events', { clientId: 'till-1', events: [{ eventId: 'o', eventType: 'opened', eventTime }] });
  const visitor = await site.enter('/aggregates?type=till');
  const { page } = visitor;
  await page.getByRole('row').filter({ hasText: 'till' }).waitFor();
  expect(await page.getByText('B-1').count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Type' }).fill('');
  await page.getByRole('searchbox', { name: 'Search' }).fill('B-');
  await page.waitForURL(/q=B-/);
  await page.getByText('B-1').waitFor();
  await page.locator('tbody tr').first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'shelf/B-1' }).waitFor();
});

nightly('the search finds the page and each aggregate', async () => {
  const body = { clientId: 'scanner-3', events: [{ eventId: 'e-1', eventType: 'stored', eventTime, deltas: { in: 5 } }] };
  await site.request('POST', '/aggregates/shelf/C-1/events', body, { 'X-Idempotency-Key': 'c-1' });
  const visitor = await site.enter('/');
  const { page } = visitor;
  await page.keyboard.press('Control+k');
  await dialogOf(visitor).getByRole('combobox').fill('C-1');
  await dialogOf(visitor).getByText('C-1').first().click();
  await page.getByRole('heading', { level: 1, name: 'shelf/C-1' }).waitFor();
  await page.locator('#content').getByRole('link', { name: 'Audit log' }).click();
  await page.waitForURL(/resource=aggregates/);
  await page.getByRole('cell', { name: 'aggregates/shelf/C-1' }).first().waitFor();
  await visitor.visit('/idempotency-keys?key=c-1');
  await page.locator('tbody').getByText('c-1', { exact: true }).first().click();
  await dialogOf(visitor).getByRole('link', { name: 'aggregates/shelf/C-1' }).click();
  await page.getByRole('heading', { level: 1, name: 'shelf/C-1' }).waitFor();
  await page.keyboard.press('Control+k');
  await dialogOf(visitor).getByRole('combobox').fill('Aggreg');
  await dialogOf(visitor).getByText('Aggregates').last().click();
  await page.getByRole('heading', { level: 1, name: 'Aggregates' }).waitFor();
});

nightly('a reader sees no action to record', async () => {
  await store('A-7', 1, 5);
  const reader = { username: 'reader', password: 'gravel-six-ladders' };
  await site.request('POST', '/users', { ...reader, roles: ['admin'] });
  const visitor = await site.open();
  await visitor.page.route('**/api/v1/session', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { user?: { permissions: string[] } };
    if (body.user !== undefined) body.user.permissions = ['ledger:read'];
    await route.fulfill({ response: reply, json: body });
  });
  await visitor.signIn(reader, '/aggregates/shelf/A-7');
  await visitor.page.getByRole('region', { name: 'Counters' }).getByText('5').waitFor();
  expect(await visitor.page.getByRole('button', { name: 'Record events' }).count()).toBe(0);
});
