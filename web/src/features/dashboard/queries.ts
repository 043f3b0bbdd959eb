import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Overview = components['schemas']['Dashboard'];
export type ConflictCount = components['schemas']['ConflictCount'];
export type RecentChange = components['schemas']['AuditEntry'];

/** Conflicts are counted a few seconds late and announced by nobody, so that they are asked for. */
const reread = 15_000;

/** What waits and what happened, of what the user may read. */
export const overview = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => data(api.GET('/api/v1/dashboard', { signal })),
  refetchInterval: reread,
});
