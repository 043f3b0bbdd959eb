import { queryOptions } from '@tanstack/react-query';
import { api, data, isProblem, type components } from '@/api';

export type Queue = components['schemas']['Queue'];
export type HeldLock = components['schemas']['HeldLock'];
export type Readiness = components['schemas']['Readiness'];
export type SystemReport = components['schemas']['SystemReport'];
export type Finding = components['schemas']['Finding'];

/** The refresh interval while the page is visible, in ms. */
const period = 2_000;

/** The queues and locks, refreshed while the page is visible. */
export function overview() {
  return queryOptions({
    queryKey: ['system', 'queues'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/queues', { signal })),
    refetchInterval: period,
    retry: false,
  });
}

/** The refresh interval of the report, in ms. The service also checks every 15 s. */
const reportPeriod = 15_000;

/** The durability settings of the engines, and the possible losses at a crash. */
export const report = queryOptions({
  queryKey: ['system', 'report'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/system', { signal })),
  refetchInterval: reportPeriod,
  retry: false,
});

/** Whether the engines are usable; "not ready" is a result, not an error. */
export function readiness() {
  return queryOptions({
    queryKey: ['system', 'readiness'],
    queryFn: async ({ signal }): Promise<Readiness> => {
      try {
        return await data(api.GET('/readyz', { signal }));
      } catch (error) {
        const said = isProblem(error) ? readinessOf(error.body) : undefined;
        if (said === undefined) throw error;
        return said;
      }
    },
    refetchInterval: period,
    retry: false,
  });
}

function readinessOf(body: unknown): Readiness | undefined {
  return typeof body === 'object' && body !== null && 'checks' in body ? (body as Readiness) : undefined;
}
