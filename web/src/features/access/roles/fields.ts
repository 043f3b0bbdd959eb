import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { labelsOf, type Labels } from '@/ui';
import { accessMessages } from '../messages';
import { membersOf, namesIn, setOf, spellSet, textOf, wordsWithSet } from '../sets';
import { roleMessages } from './messages';
import type { Role, RoleTerms } from './queries';
import type { Contents } from '@/features/descriptor';
import { roleResource } from '../resource';

/** The editable members of a role. */
export type RoleFields = {
  name: string;
  /** A serialized set, see sets.ts. */
  permissions: string;
};

export const maxNameLength = 100;

export const blankRole: RoleFields = { name: '', permissions: '' };

export const readFields = ({ name, permissions }: Pick<Role, 'name' | 'permissions'>): RoleFields => ({ name, permissions: spellSet(permissions) });

export const contentOf = ({ name, permissions }: RoleFields): JsonObject => ({ name, permissions: membersOf(permissions) });

export const formOf = ({ name, permissions }: JsonObject): RoleFields => ({ name: textOf(name), permissions: setOf(permissions) });

/** The request body for a form. */
export const termsOf = ({ name, permissions }: RoleFields): RoleTerms => ({ name: name.trim(), permissions: namesIn(permissions) });

export const isComplete = ({ name }: RoleFields): boolean => name.trim() !== '';

/** The labels and values of a role's fields; each permission is a separate field. */
export function useRoleLabels(): Labels {
  const t = useText(roleMessages);
  const access = useText(accessMessages);
  return wordsWithSet(labelsOf<{ name: string }>({ name: { label: t('name'), show: (name) => name } }), 'permissions', {
    label: t('permissions'),
    one: (name) => access('permission', { name }),
    given: access('granted'),
    taken: access('notGranted'),
  });
}

/** The content in the audit log. */
export const roleContents: Contents = { noun: roleResource.noun, useLabels: useRoleLabels, read: (record) => contentOf(readFields(record as unknown as Role)) };
