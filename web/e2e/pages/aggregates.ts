import type { Page } from '@playwright/test';
import type { ApiRequest, PageUnderTest } from '../pages';

const shelf = '/aggregates/shelf/A-17';
const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, en: string, zh: string) => page.getByRole('button', { name: new RegExp(`^(${en}|${zh})$`) });
/** Inputs with suggestions are comboboxes. */
const field = (page: Page, en: string, zh: string) => {
  const name = new RegExp(`^(${en}|${zh})$`);
  return dialog(page).getByRole('textbox', { name }).or(dialog(page).getByRole('combobox', { name }));
};

async function openRecording(page: Page): Promise<void> {
  await button(page, 'Record events', '记录事件').click();
  await dialog(page)
    .getByText(/^(Event 1|事件 1)$/)
    .waitFor();
}

async function record(page: Page, eventType: string, counter: string, amount: string): Promise<void> {
  await field(page, 'Event', '事件').fill(eventType);
  await field(page, 'Counter', '计数器').fill(counter);
  await field(page, 'Delta', '计入').fill(amount);
  await button(page, 'Record 1 event', '记录 1 个事件').click();
}

async function prepare(request: ApiRequest): Promise<void> {
  const eventTime = '2026-01-31T09:29:59.500Z';
  const scanned = (clientSeq: number, amount: number, payload: unknown) => ({ clientSeq, eventType: 'stored', eventTime, deltas: { in: amount }, payload });
  await request('POST', `${shelf}/events`, {
    clientId: 'scanner-3',
    enforceClientIdempotency: true,
    events: [scanned(117, 40, { pallet: 'P-9', by: 'night shift' }), scanned(118, 2, null)],
  });
  await request('POST', `${shelf}/events`, {
    clientId: 'picker.2',
    events: [
      {
        eventId: 'pick-20260131-0007',
        eventType: 'picked',
        eventTime,
        deltas: { out: 7, 'damaged.wet': 1 },
        payload: { order: 20_260_131_001, lines: [{ sku: 'TEA-1', pieces: 7 }] },
      },
    ],
  });
  await request('POST', '/aggregates/till/3/events', {
    clientId: 'till-3',
    events: [{ eventId: 'open', eventType: 'opened', eventTime, deltas: { cents: -120_050 } }],
  });
  const many = (named: (i: number) => string) => Object.fromEntries(Array.from({ length: 16 }, (_, i) => [named(i + 1), i * 1000]));
  for (let i = 1; i <= 10; i++) {
    await request('POST', '/aggregates/campaign/spring:2026/events', {
      clientId: `worker-${i}`,
      events: [{ clientSeq: i * 17, eventType: 'seen', eventTime, deltas: many((n) => `banner.${n}`) }],
    });
  }
}

const pages: PageUnderTest[] = [
  { name: 'aggregates-list', path: '/aggregates?type=shelf', prepare },
  { name: 'aggregates-no-match', path: '/aggregates?type=nothing-like-it' },
  {
    name: 'aggregates-detail',
    path: shelf,
    reach: async (page) => {
      await page.getByText('picked', { exact: true }).waitFor();
    },
  },
  { name: 'aggregates-many', path: '/aggregates/campaign/spring:2026' },
  { name: 'aggregates-unmade', path: '/aggregates/shelf/never-seen' },
  {
    name: 'aggregates-event',
    path: `${shelf}?event=3`,
    reach: async (page) => {
      await dialog(page).getByText('pick-20260131-0007').waitFor();
    },
  },
  {
    name: 'aggregates-record',
    path: shelf,
    reach: async (page) => {
      await openRecording(page);
      await dialog(page)
        .getByText(/^(By sequence|按序号)$/)
        .click();
      await field(page, 'Writer', '写入方').fill('scanner-3');
      await button(page, 'Record 1 event', '记录 1 个事件').click();
    },
  },
  {
    name: 'aggregates-landed',
    path: shelf,
    reach: async (page) => {
      await openRecording(page);
      await dialog(page)
        .getByText(/^(By event id|按事件标识)$/)
        .click();
      await field(page, 'Writer', '写入方').fill('till-9');
      await field(page, 'Event id', '事件标识').fill('pick-20260131-0007');
      await record(page, 'picked', 'out', '9');
      await dialog(page)
        .getByText(/belongs to another event|属于另一个事件/)
        .waitFor();
    },
  },
];

export default pages;
