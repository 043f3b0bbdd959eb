import type { PageUnderTest } from '../pages';

const page: PageUnderTest = {
  name: 'system-working',
  path: '/system',
  reach: async (page) => {
    // Locks are held for milliseconds, so the response is faked.
    await page.route('**/api/v1/queues', (route) =>
      route.fulfill({
        json: {
          queues: [
            { name: 'fs:12', pending: 840, claimed: 200, delayed: 3, dead: 1, oldestSeconds: 2.5, paused: false },
            { name: 'fs:13', pending: 12, claimed: 0, delayed: 0, dead: 0, oldestSeconds: 190, paused: true },
          ],
          locks: [{ key: 'wallet:1:7', owner: '0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88', heldSeconds: 0.02, waiters: 3 }],
        },
      }),
    );
    await page.reload();
    await page.getByText('wallet:1:7').waitFor();
  },
};

export default page;
