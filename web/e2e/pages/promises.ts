import type { PageUnderTest } from '../pages';

const satisfied = {
  guarantee: 'G4',
  tests: ['TestVersionRejectsAPausedHolderDespiteSufficientBalance'],
  faults: ['TestRetriedDebitsOfAKilledProgramAreAppliedOnce'],
  state: 'kept',
  lastTrueTime: '2026-11-22T12:00:00.000000Z',
  lookedTime: '2026-11-22T12:00:00.000000Z',
  rows: 48_200,
  busySeconds: 2.4,
  looking: null,
  violated: 0,
  violations: [],
};

const page: PageUnderTest = {
  name: 'promises-broken',
  path: '/promises',
  reach: async (page) => {
    // The service under test violates no promise, so the response is faked.
    await page.route('**/api/v1/promises', (route) =>
      route.fulfill({
        json: {
          time: '2026-11-22T12:00:05.000000Z',
          quotas: [],
          promises: [
            { ...satisfied, name: 'wallet-balances', says: 'The entries of each wallet add up to its balance, which is never negative.' },
            {
              ...satisfied,
              name: 'order-money',
              says: 'The reserved and refunded amounts of an order do not exceed its payment, and equal its refunds.',
              state: 'violated',
              lastTrueTime: '2026-11-22T11:00:00.000000Z',
              violated: 23,
              violations: ['orders/41', 'orders/42'].map((subject) => ({ subject, foundTime: '2026-11-22T12:00:00.000000Z' })),
              looking: { begunTime: '2026-11-22T12:00:01.000000Z', rows: 1200 },
            },
            {
              ...satisfied,
              guarantee: 'G6',
              name: 'audited-orders',
              says: 'Each version of an order has an audit row of the unit that wrote it.',
              faults: [],
              state: 'unknown',
              lastTrueTime: null,
              lookedTime: null,
              rows: 0,
              looking: { begunTime: '2026-11-22T12:00:01.000000Z', rows: 9000 },
            },
          ],
        },
      }),
    );
    await page.reload();
    await page.getByText('orders/42').waitFor();
    await page.locator('details').first().click();
  },
};

export default page;
