import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { DeletedRecord, useKeyedMutation, useToasts } from '@/ui';
import { useMenuName } from '@/ui/shell/pages';
import { contentOf, isComplete, termsOf, useMenuLabels, type MenuFields } from './fields';
import { menuMessages } from './messages';
import { createMenu, oneMenu, type Menu } from './queries';

interface Props {
  id: number;
  /** The draft. */
  form: MenuFields;
  /** Called after the menu was created again. */
  onSettled: () => void;
  /** Set if the menu was already deleted when the page opened. */
  onForget?: () => void;
}

/**
 * Shown for a deleted menu with a draft. A menu that is created again gets a new number and becomes
 * the last one at the top level.
 */
export function DeletedMenu({ id, form, onSettled, onForget }: Props) {
  const t = useText(menuMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const nameOf = useMenuName();
  const labels = useMenuLabels();
  const mayWrite = useMay()('menus:write');
  const recreate = useKeyedMutation<MenuFields, Menu>({
    scope: `menus/${id}/again`,
    title: nameOf(form),
    topics: ['menus', 'navigation'],
    send: (typed, key) => createMenu(termsOf(typed), key),
    onDone: (made) => {
      onSettled();
      queries.setQueryData(oneMenu(made.id).queryKey, made);
      toasts.done(t('created', { name: nameOf(made) }));
      void navigate({ to: '/menus/$id', params: { id: String(made.id) }, replace: true });
    },
  });
  const again = { ...recreate, run: isComplete(form) ? () => recreate.run(form) : undefined };
  return <DeletedRecord content={contentOf(form)} labels={labels} recreate={mayWrite ? again : undefined} onDiscard={onForget} />;
}
