import { queryOptions } from '@tanstack/react-query';
import { api, data } from './client';
import type { components } from './schema';

export type Overview = components['schemas']['Dashboard'];

/** What waits and what happened, of what the user may read: the counts of every page in one request. */
export const overview = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/dashboard', { signal })),
});
