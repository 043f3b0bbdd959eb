import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, pages, type components, type operations } from '@/api';
import type { JsonObject } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type User = components['schemas']['User'];
/** A user with the invitation that it was given just now, if it was. */
export type InvitedUser = components['schemas']['InvitedUser'];
export type NewUser = components['schemas']['UserCreate'];
type PasswordReset = components['schemas']['PasswordReset'];
type UserQuery = NonNullable<operations['listUsers']['parameters']['query']>;

export interface UserSearch extends TableSearch {
  /** Only those who hold the role with this name. */
  role?: string;
  disabled?: boolean;
}

const historyPage = 50;

export function readUsers(search: UserSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/users', { params: { query: search as UserQuery }, signal }));
}

export function oneUser(id: number) {
  return queryOptions({
    queryKey: ['users', 'one', String(id)],
    queryFn: ({ signal }) => data(api.GET('/api/v1/users/{id}', { params: { path: { id } }, signal })),
  });
}

export const userHistory = (id: number) =>
  pages(['users', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/users/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

/** Is sent without a key, since nothing with a password or an invitation is kept; a username is given once. */
export function createUser(user: NewUser) {
  return data(api.POST('/api/v1/users', { body: user }));
}

/** Edits a user as it was at a tag. */
export function editUser(id: number, patch: JsonObject, etag: string, key: string) {
  return data(
    api.PATCH('/api/v1/users/{id}', {
      params: { path: { id }, header: { 'If-Match': etag } },
      body: patch,
      headers: idempotent(key),
    }),
  );
}

/** Shuts a user out, whatever else was changed about it meanwhile. */
export function disableUser(id: number, key: string) {
  return data(api.POST('/api/v1/users/{id}/disable', { params: { path: { id } }, headers: idempotent(key) }));
}

/** Lets a user in again as it was at a tag: what it may do is what was looked at. */
export function enableUser(id: number, etag: string, key: string) {
  return data(api.POST('/api/v1/users/{id}/enable', { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) }));
}

/** Is sent without a key, as createUser; the tag has it done once. */
export function resetPassword(id: number, reset: PasswordReset, etag: string) {
  return data(api.POST('/api/v1/users/{id}/reset-password', { params: { path: { id }, header: { 'If-Match': etag } }, body: reset }));
}

/** Invites a user as it was at a tag: what it may do is what was looked at. Is sent without a key, as createUser. */
export function inviteUser(id: number, etag: string) {
  return data(api.POST('/api/v1/users/{id}/invite', { params: { path: { id }, header: { 'If-Match': etag } } }));
}

/** Takes all second factors from a user as it was at a tag: what it may do is what was looked at. */
export function resetFactors(id: number, etag: string, key: string) {
  return data(api.POST('/api/v1/users/{id}/reset-factors', { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) }));
}
