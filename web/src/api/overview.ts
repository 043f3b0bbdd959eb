import { queryOptions } from '@tanstack/react-query';
import { api, data } from './client';
import type { components } from './schema';

export type Overview = components['schemas']['Dashboard'];

/** Counts of pending and recent work on every page that the user may read, in one request. */
export const overview = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/dashboard', { signal })),
});
