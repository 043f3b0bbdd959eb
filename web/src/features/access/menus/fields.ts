import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { labelsOf, type Labels } from '@/ui';
import { textOf } from '../sets';
import { menuMessages } from './messages';
import type { Menu, MenuTerms } from './queries';
import type { Contents } from '@/features/descriptor';
import { menuResource } from '../resource';

/** The editable members of a menu. */
export type MenuFields = {
  title: string;
  path: string;
  icon: string;
  permission: string;
  hidden: boolean;
};

export const maxTitleLength = 100;
export const maxPathLength = 500;

export const blankMenu: MenuFields = { title: '', path: '', icon: '', permission: '', hidden: false };

export const readFields = ({ title, path, icon, permission, hidden }: MenuFields): MenuFields => ({ title, path, icon, permission, hidden });

export const contentOf = (fields: MenuFields): JsonObject => ({ ...readFields(fields) });

export const formOf = ({ title, path, icon, permission, hidden }: JsonObject): MenuFields => ({
  title: textOf(title),
  path: textOf(path),
  icon: textOf(icon),
  permission: textOf(permission),
  hidden: hidden === true,
});

/** The content of a version of a menu in the history: the fields and the position. */
export const placedContentOf = ({ parentId, position, ...fields }: MenuFields & Pick<Menu, 'parentId' | 'position'>): JsonObject => ({
  ...contentOf(fields),
  ...(parentId === null ? {} : { parentId }),
  position,
});

/** The request body for a form. */
export const termsOf = (fields: MenuFields): MenuTerms => ({ ...readFields(fields), title: fields.title.trim(), path: fields.path.trim() });

/** Whether a path or URL has a valid form. The service checks the rest. */
export const isAddress = (path: string): boolean => path === '' || /^(?!.*\/\/)\/[^\s\\]*$/.test(path) || /^https:\/\/[^\s\\/]/.test(path);

export const isComplete = ({ title, path }: MenuFields): boolean => isAddress(path.trim()) && (title.trim() !== '' || path.startsWith('/'));

/** The labels and values of a menu's fields; `titleOf` returns the title of a parent menu, if known. */
export function useMenuLabels(titleOf: (id: number) => string | undefined = () => undefined): Labels {
  const t = useText(menuMessages);
  const labels = labelsOf<{ title: string; path: string; icon: string; permission: string; parentId: number; position: number }>({
    title: { label: t('name'), show: (title) => title },
    path: { label: t('path'), show: (path) => path },
    icon: { label: t('icon'), show: (icon) => icon },
    permission: { label: t('permission'), show: (permission) => permission },
    parentId: { label: t('parent'), show: (id) => titleOf(id) ?? `#${id}` },
    position: { label: t('position'), show: (position) => String(position + 1) },
  });
  return {
    field: (pointer) => (pointer === '/hidden' ? t('visibility') : labels.field(pointer)),
    show: (value, pointer) => (pointer === '/hidden' ? t(value === true ? 'isHidden' : 'isShown') : labels.show(value, pointer)),
  };
}

/** The content in the audit log. */
export const menuContents: Contents = {
  noun: menuResource.noun,
  useLabels: useMenuLabels,
  read: (record) => placedContentOf({ parentId: null, ...record } as unknown as Menu),
};
