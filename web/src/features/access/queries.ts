import { queryOptions } from '@tanstack/react-query';
import { api, data } from '@/api';
import { readAll } from '@/ui/table';
import type { Permission } from './grants';
import { readRoles, type Role } from './roles/queries';

/** Every permission; the list only changes with a new version of the service. */
export const catalogue = queryOptions({
  queryKey: ['permissions'],
  queryFn: async ({ signal }): Promise<Permission[]> => (await data(api.GET('/api/v1/permissions', { signal }))).items,
  staleTime: Infinity,
});

const largestPage = 200;

/** Every role, by name. */
export const allRoles = queryOptions({
  queryKey: ['roles', 'list', 'all'],
  queryFn: ({ signal }): Promise<Role[]> => readAll((cursor) => readRoles({ sort: 'name', limit: largestPage, cursor }, signal), { signal }),
});
