import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { useMenuName } from '@/ui/shell/pages';
import { blankMenu, isComplete, termsOf, type MenuFields } from './fields';
import { isMenuInput, MenuInputs } from './MenuInputs';
import { menuMessages } from './messages';
import { createMenu, oneMenu, type Menu } from './queries';

interface Props {
  onClose: () => void;
  /** The parent of the new menu; undefined for the top level. */
  below?: Menu;
}

/** The dialog that creates a menu as the last of its siblings. */
export function CreateMenu({ onClose, below }: Props) {
  const t = useText(menuMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const nameOf = useMenuName();
  const title = below === undefined ? t('add') : t('addTo', { name: nameOf(below) });
  const keyed = useKeyedForm<MenuFields, Menu>({
    scope: below === undefined ? 'menus/new' : `menus/new-below-${below.id}`,
    title,
    topics: ['menus', 'navigation'],
    open: () => blankMenu,
    isComplete,
    send: (form, key) => createMenu({ ...termsOf(form), parentId: below?.id ?? null }, key),
    onDone: (made) => {
      queries.setQueryData(oneMenu(made.id).queryKey, made);
      toasts.done(t('created', { name: nameOf(made) }));
      onClose();
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={title} confirm={t('create')} hasInput={isMenuInput} size="lg" onClose={onClose}>
      <MenuInputs value={form} strict={strict} error={error} readOnly={isFixed} onChange={change} />
    </FormDialog>
  );
}
