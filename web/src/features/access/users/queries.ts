import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, idempotent, pages, type components, type operations } from '@/api';
import type { Edit } from '@/merge';
import type { TableSearch } from '@/ui/table';

export type User = components['schemas']['User'];
/** A user, with the invitation if one was just issued; in a replay, `secretShownOnce` replaces its address. */
export type InvitedUser = components['schemas']['InvitedUser'];
export type ResetUser = components['schemas']['ResetUser'];
export type NewUser = components['schemas']['UserCreate'];
type PasswordReset = components['schemas']['PasswordReset'];
type UserQuery = NonNullable<operations['listUsers']['parameters']['query']>;

export interface UserSearch extends TableSearch {
  /** Only users that have the role with this name. */
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

export function createUser(user: NewUser, key: string) {
  return data(api.POST('/api/v1/users', { body: user, headers: idempotent(key) }));
}

/** Edits a user at a given ETag. */
export function editUser(id: number, edit: Edit, etag: string, key: string) {
  return data(
    api.PATCH('/api/v1/users/{id}', {
      params: { path: { id }, header: { 'If-Match': etag } },
      ...asEdit(edit, key),
    }),
  );
}

/** Disables a user without a guard, whatever else has changed. */
export function disableUser(id: number, key: string) {
  return data(api.POST('/api/v1/users/{id}/disable', { params: { path: { id } }, headers: idempotent(key) }));
}

/** Enables a user at a given ETag, so that their permissions are the displayed ones. */
export function enableUser(id: number, etag: string, key: string) {
  return data(api.POST('/api/v1/users/{id}/enable', { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) }));
}

export function resetPassword(id: number, reset: PasswordReset, etag: string, key: string) {
  return data(
    api.POST('/api/v1/users/{id}/reset-password', {
      params: { path: { id }, header: { 'If-Match': etag } },
      body: reset,
      headers: idempotent(key),
    }),
  );
}

/** Invites a user at a given ETag, so that their permissions are the displayed ones. */
export function inviteUser(id: number, etag: string, key: string) {
  return data(api.POST('/api/v1/users/{id}/invite', { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) }));
}

/** Removes all second factors of a user at a given ETag, so that their permissions are the displayed ones. */
export function resetFactors(id: number, etag: string, key: string) {
  return data(api.POST('/api/v1/users/{id}/reset-factors', { params: { path: { id }, header: { 'If-Match': etag } }, headers: idempotent(key) }));
}
