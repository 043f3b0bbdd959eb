import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Gone, useKeyedMutation, useToasts } from '@/ui';
import { contentOf, isComplete, termsOf, useRoleWords, type RoleFields } from './fields';
import { roleMessages } from './messages';
import { createRole, oneRole, type Role } from './queries';

interface Props {
  id: number;
  /** What was typed. */
  form: RoleFields;
  /** It was made again. */
  onSettled: () => void;
  /** It was deleted before the page was opened. */
  onForget?: () => void;
}

/** The role was deleted: what can become of what was typed. One that is made again gets a number of its own, so that the page goes on there. */
export function DeletedRole({ id, form, onSettled, onForget }: Props) {
  const t = useText(roleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const words = useRoleWords();
  const mayWrite = useMay()('access:write');
  const recreate = useKeyedMutation<RoleFields, Role>({
    scope: `roles/${id}/again`,
    title: form.name,
    topics: ['roles'],
    send: (typed, key) => createRole(termsOf(typed), key),
    onDone: (made) => {
      onSettled();
      queries.setQueryData(oneRole(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      void navigate({ to: '/roles/$id', params: { id: String(made.id) }, replace: true });
    },
  });
  const again = { ...recreate, run: isComplete(form) ? () => recreate.run(form) : undefined };
  return <Gone content={contentOf(form)} words={words} recreate={mayWrite ? again : undefined} onForget={onForget} />;
}
