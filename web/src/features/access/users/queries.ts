import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type User = components['schemas']['User'];
/** A user, with the invitation if one was just issued; in a replay, `secretShownOnce` replaces its address. */
export type InvitedUser = components['schemas']['InvitedUser'];
export type ResetUser = components['schemas']['ResetUser'];
type PasswordReset = components['schemas']['PasswordReset'];

export interface UserSearch extends TableSearch {
  /** Only users that have the role with this name. */
  role?: string;
  disabled?: boolean;
}

const users = resource('/api/v1/users');
export const { list: readUsers, one: oneUser, history: userHistory, create: createUser, edit: editUser } = users;

/** Disables a user without a guard, whatever else has changed. */
export const disableUser = (id: number, key: string) => users.act(id, 'disable', { key });

// The other actions are guarded by the displayed version, so that the user's permissions are the displayed ones.
export const enableUser = (id: number, etag: string, key: string) => users.act(id, 'enable', { etag, key });

export const resetPassword = (id: number, body: PasswordReset, etag: string, key: string) => users.act(id, 'reset-password', { body, etag, key });

export const inviteUser = (id: number, etag: string, key: string) => users.act(id, 'invite', { etag, key });

/** Removes all second factors of a user. */
export const resetFactors = (id: number, etag: string, key: string) => users.act(id, 'reset-factors', { etag, key });
