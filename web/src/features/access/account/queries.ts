import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components } from '@/api';
import type { JsonObject } from '@/merge';

/** One's own account: the user that one is, and what one may do. */
export type Me = components['schemas']['Me'];
export type PasswordChange = components['schemas']['PasswordChange'];

/** Is read again with what is announced of the user. */
export function myAccount(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id), 'me'],
    queryFn: ({ signal }): Promise<Me> => data(api.GET('/api/v1/me', { signal })),
  });
}

export function editMe(patch: JsonObject, etag: string, key: string) {
  return data(api.PATCH('/api/v1/me', { params: { header: { 'If-Match': etag } }, body: patch, headers: idempotent(key) }));
}

/** Is sent without a key, since no reply to a request with a password is kept. Once it is done, the current password is another. */
export function changePassword(change: PasswordChange) {
  return data(api.POST('/api/v1/me/password', { body: change }));
}
