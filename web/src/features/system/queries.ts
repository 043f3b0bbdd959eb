import { queryOptions } from '@tanstack/react-query';
import { api, data, isProblem, type components } from '@/api';

export type Queue = components['schemas']['Queue'];
export type HeldLock = components['schemas']['HeldLock'];
export type Readiness = components['schemas']['Readiness'];

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
