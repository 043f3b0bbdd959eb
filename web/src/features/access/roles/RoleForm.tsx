import { Paper, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { RecordForm, useRecordForm } from '@/ui';
import { patchOfSets } from '../sets';
import { useAccessRejection } from '../useAccessRejection';
import { DeletedRole } from './DeletedRole';
import { contentOf, formOf, isComplete, readFields, useRoleLabels, type RoleFields } from './fields';
import { roleMessages } from './messages';
import { editRole, oneRole, type Role } from './queries';
import { isRoleInput, RoleInputs } from './RoleInputs';

interface Props {
  role: Role;
  /** Whether the role was deleted while the page was open. */
  gone: boolean;
  /** Called with the name of the focused field; undefined when the focus leaves the form. */
  onField: (field: string | undefined) => void;
}

export function RoleForm({ role, gone, onField }: Props) {
  const t = useText(roleMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('access:write');
  const { id, name } = role;
  const editing = useRecordForm<Role, RoleFields>({
    resource: `roles/${id}`,
    title: name,
    current: role,
    labels: useRoleLabels(),
    read: readFields,
    contentOf,
    formOf,
    isComplete,
    send: (patch, etag, key) => editRole(id, patchOfSets(patch, 'permissions'), etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneRole(id).queryKey, saved);
      // The lists of roles and users display the names of roles.
      ['roles', 'users'].forEach((topic) => void queries.invalidateQueries({ queryKey: [topic] }));
    },
  });
  const { draft, strict, error } = editing;
  return (
    <Paper component="section" p="lg" aria-labelledby="terms">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'access:write'}
        hasInput={isRoleInput}
        renderRejection={useAccessRejection()}
        onField={onField}
        wide
        head={
          <div>
            <Title order={2} id="terms">
              {t('terms')}
            </Title>
            {mayWrite && !gone && <Text c="dimmed">{t('termsHint')}</Text>}
          </div>
        }
        deletedNotice={gone ? <DeletedRole id={id} form={draft.value} onSettled={editing.discard} /> : undefined}
      >
        <RoleInputs value={draft.value} base={draft.base.value.permissions} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
