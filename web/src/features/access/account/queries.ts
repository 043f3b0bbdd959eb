import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, type components } from '@/api';
import type { Edit } from '@/merge';

/** The signed-in user with their permissions. */
export type Me = components['schemas']['Me'];
export type PasswordChange = components['schemas']['PasswordChange'];

/** The query of the signed-in user. It is invalidated when the service announces a change of the user. */
export function myAccount(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id), 'me'],
    queryFn: ({ signal }): Promise<Me> => data(api.GET('/api/v1/me', { signal })),
  });
}

export function editMe(edit: Edit, etag: string, key: string) {
  return data(api.PATCH('/api/v1/me', { params: { header: { 'If-Match': etag } }, ...asEdit(edit, key) }));
}

/**
 * Sent without a key, since the service stores no reply to a request with a password. After a
 * change the current password differs, so a retry is rejected.
 */
export function changePassword(change: PasswordChange) {
  return data(api.POST('/api/v1/me/password', { body: change }));
}
