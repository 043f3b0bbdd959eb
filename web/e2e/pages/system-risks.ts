import type { PageUnderTest } from '../pages';

const page: PageUnderTest = {
  name: 'system-risks',
  path: '/system',
  reach: async (page) => {
    // The embedded service under test has no possible losses, so the response is faked.
    await page.route('**/api/v1/system', (route) =>
      route.fulfill({
        json: {
          checkedTime: '2026-11-21T08:00:05.000000Z',
          findings: [
            {
              engine: 'redis',
              name: 'appendfsync',
              value: 'everysec',
              want: 'always',
              level: 'risk',
              loss: { process: 'nothing', machine: 'second' },
              detail: 'It is everysec.',
            },
            {
              engine: 'redis',
              name: 'maxmemory-policy',
              value: 'allkeys-lru',
              want: 'noeviction',
              level: 'risk',
              loss: { memory: 'evicted_keys' },
              detail: 'It is allkeys-lru.',
            },
            { engine: 'redis', name: 'replicas', value: '2', level: 'risk', loss: { failover: 'moments' }, detail: '2 replicas follow.' },
            { engine: 'database', name: 'sync_binlog', level: 'unknown', loss: { machine: 'unknown' }, detail: 'It cannot be read.' },
            { engine: 'redis', name: 'redis', node: 3, level: 'broken', loss: {}, detail: 'It does not answer.' },
          ],
          redis: [{ usedBytes: 5_200_000, limitBytes: 268_435_456, policy: 'allkeys-lru', evictedKeys: 12 }],
          clocks: [{ engine: 'database', skewSeconds: 0.002, errorSeconds: 0.0002 }],
        },
      }),
    );
    await page.reload();
    await page.getByText('allkeys-lru').waitFor();
  },
};

export default page;
