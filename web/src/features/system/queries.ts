import { queryOptions } from '@tanstack/react-query';
import { api, data, isProblem, type components } from '@/api';

export type Queue = components['schemas']['Queue'];
export type HeldLock = components['schemas']['HeldLock'];
export type Readiness = components['schemas']['Readiness'];
export type SystemReport = components['schemas']['SystemReport'];
export type Finding = components['schemas']['Finding'];

/** How often the numbers are read while somebody looks, in ms. */
const period = 2_000;

/** What waits and what is held, read again and again while the page is seen. */
export function overview() {
  return queryOptions({
    queryKey: ['system', 'queues'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/queues', { signal })),
    refetchInterval: period,
    retry: false,
  });
}

/** The service itself looks every 15 s, in ms. */
const reportPeriod = 15_000;

/** What the engines below promise, and what a crash of one can lose. */
export const report = queryOptions({
  queryKey: ['system', 'report'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/system', { signal })),
  refetchInterval: reportPeriod,
  retry: false,
});

/** Whether the engines can be used; "not ready" is an answer and no failure. */
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
