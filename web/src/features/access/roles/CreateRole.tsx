import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { useAccessRejection } from '../useAccessRejection';
import { blankRole, isComplete, termsOf, type RoleFields } from './fields';
import { roleMessages } from './messages';
import { createRole, oneRole, type Role } from './queries';
import { isRoleInput, RoleInputs } from './RoleInputs';

interface Props {
  onClose: () => void;
  /** The initial fields of a copy, and the id of the original role. */
  copy?: { of: number; fields: RoleFields };
  /** Called after the creation, before the new page opens. */
  onCreated?: () => void;
}

/** The dialog that creates a role, empty or as a copy. */
export function CreateRole({ onClose, copy, onCreated }: Props) {
  const t = useText(roleMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const title = t(copy === undefined ? 'add' : 'copyToNew');
  const keyed = useKeyedForm<RoleFields, Role>({
    scope: copy === undefined ? 'roles/new' : `roles/copy-${copy.of}`,
    title,
    topics: ['roles'],
    open: () => copy?.fields ?? blankRole,
    isComplete,
    send: (form, key) => createRole(termsOf(form), key),
    onDone: (made) => {
      queries.setQueryData(oneRole(made.id).queryKey, made);
      toasts.done(t('created', { name: made.name }));
      onCreated?.();
      onClose();
      void navigate({ to: '/roles/$id', params: { id: String(made.id) } });
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={title} confirm={t('create')} hasInput={isRoleInput} renderRejection={useAccessRejection()} size="xl" onClose={onClose}>
      <RoleInputs value={form} strict={strict} error={error} readOnly={isFixed} onChange={change} />
    </FormDialog>
  );
}
