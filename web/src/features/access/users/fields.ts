import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { labelsOf, type Labels } from '@/ui';
import { accessMessages } from '../messages';
import { membersOf, setOf, spellSet, textOf, wordsWithSet } from '../sets';
import { userMessages } from './messages';
import type { User } from './queries';
import type { Contents } from '@/features/descriptor';
import { userResource } from '../resource';

/** The editable members of a user. */
export type UserFields = {
  username: string;
  displayName: string;
  /** A serialized set, see sets.ts. */
  roles: string;
};

export type UserField = keyof UserFields;

export const maxUsernameLength = 64;
export const maxDisplayNameLength = 100;

/** Whether the service accepts a username. */
export const isUsername = (text: string): boolean => /^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(text);

/** The minimum number of characters of a password, and the maximum number of bytes. */
export const minPasswordLength = 12;
export const maxPasswordLength = 1024;

export type PasswordFault = 'passwordShort' | 'passwordLong';

/** Returns the fault of a new password by the rules of the service. */
export function passwordFault(password: string): PasswordFault | undefined {
  if (Array.from(password).length < minPasswordLength) return 'passwordShort';
  return new TextEncoder().encode(password).length > maxPasswordLength ? 'passwordLong' : undefined;
}

export const blankUser: UserFields = { username: '', displayName: '', roles: '' };

export const readFields = ({ username, displayName, roles }: Pick<User, 'username' | 'displayName' | 'roles'>): UserFields => ({
  username,
  displayName,
  roles: spellSet(roles),
});

export const contentOf = ({ username, displayName, roles }: UserFields): JsonObject => ({ username, displayName, roles: membersOf(roles) });

export const formOf = ({ username, displayName, roles }: JsonObject): UserFields => ({
  username: textOf(username),
  displayName: textOf(displayName),
  roles: setOf(roles),
});

/** The labels and values of a user's fields; each role is a separate field. */
export function useUserLabels(): Labels {
  const t = useText(userMessages);
  const access = useText(accessMessages);
  const same = (text: string) => text;
  const fields = labelsOf<{ username: string; displayName: string }>({
    username: { label: t('username'), show: same },
    displayName: { label: t('displayName'), show: same },
  });
  return wordsWithSet(fields, 'roles', {
    label: t('roles'),
    one: (name) => t('role', { name }),
    given: access('granted'),
    taken: access('notGranted'),
  });
}

/** The content in the audit log. */
export const userContents: Contents = { noun: userResource.noun, useLabels: useUserLabels, read: (record) => contentOf(readFields(record as unknown as User)) };
