import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { wordsOf, type Words } from '@/ui';
import { accessMessages } from '../messages';
import { membersOf, setOf, spellSet, textOf, wordsWithSet } from '../sets';
import { userMessages } from './messages';
import type { User } from './queries';

/** What of a user is edited in its form. */
export type UserFields = {
  username: string;
  displayName: string;
  /** As a set is spelled; see sets.ts. */
  roles: string;
};

export type UserField = keyof UserFields;

export const longestUsername = 64;
export const longestDisplayName = 100;

/** What the service takes for a username. */
export const isUsername = (text: string): boolean => /^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(text);

/** The least characters of a password, and the most bytes. */
export const leastPassword = 12;
export const longestPassword = 1024;

export type PasswordFault = 'passwordShort' | 'passwordLong';

/** What is wrong with a new password, by the rule of the service: characters as people count them, and bytes. */
export function passwordFault(password: string): PasswordFault | undefined {
  if (Array.from(password).length < leastPassword) return 'passwordShort';
  return new TextEncoder().encode(password).length > longestPassword ? 'passwordLong' : undefined;
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

/** How a user is read, place by place: each role is one. */
export function useUserWords(): Words {
  const t = useText(userMessages);
  const access = useText(accessMessages);
  const same = (text: string) => text;
  const fields = wordsOf<{ username: string; displayName: string }>({
    username: { label: t('username'), show: same },
    displayName: { label: t('displayName'), show: same },
  });
  return wordsWithSet(fields, 'roles', {
    label: t('roles'),
    one: (name) => t('role', { name }),
    given: access('given'),
    taken: access('notGiven'),
  });
}
