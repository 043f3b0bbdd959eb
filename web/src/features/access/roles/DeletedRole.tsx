import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { DeletedRecord, useKeyedMutation, useToasts } from '@/ui';
import { contentOf, isComplete, termsOf, useRoleLabels, type RoleFields } from './fields';
import { roleMessages } from './messages';
import { createRole, oneRole, type Role } from './queries';

interface Props {
  id: number;
  /** The draft. */
  form: RoleFields;
  /** Called after the role was created again. */
  onSettled: () => void;
  /** Set if the role was already deleted when the page opened. */
  onForget?: () => void;
}

/** Shown for a deleted role with a draft. A role that is created again gets a new number, so its page has another address. */
export function DeletedRole({ id, form, onSettled, onForget }: Props) {
  const t = useText(roleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const labels = useRoleLabels();
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
  return <DeletedRecord content={contentOf(form)} labels={labels} recreate={mayWrite ? again : undefined} onDiscard={onForget} />;
}
