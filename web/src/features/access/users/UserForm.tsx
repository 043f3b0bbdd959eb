import { Paper, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { RecordForm, useRecordForm } from '@/ui';
import { patchOfSets } from '../sets';
import { useAccessRejection } from '../useAccessRejection';
import { contentOf, formOf, isUsername, readFields, useUserLabels, type UserFields } from './fields';
import { userMessages } from './messages';
import { editUser, oneUser, type User } from './queries';
import { isUserInput, UserInputs } from './UserInputs';

interface Props {
  user: User;
  /** Which field has the focus. */
  onField: (field: string | undefined) => void;
}

/** The form for a user: the names and the roles. */
export function UserForm({ user, onField }: Props) {
  const t = useText(userMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('users:write');
  const { id, username } = user;
  const editing = useRecordForm<User, UserFields>({
    resource: `users/${id}`,
    title: username,
    current: user,
    labels: useUserLabels(),
    read: readFields,
    contentOf,
    formOf,
    isComplete: (form) => isUsername(form.username) && form.displayName.trim() !== '',
    send: (patch, etag, key) => editUser(id, patchOfSets(patch, 'roles'), etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneUser(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const { draft, strict, error } = editing;
  return (
    <Paper component="section" p="lg" aria-labelledby="details">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'users:write'}
        hasInput={isUserInput}
        renderRejection={useAccessRejection()}
        onField={onField}
        head={
          <Title order={2} id="details">
            {t('details')}
          </Title>
        }
      >
        <UserInputs value={draft.value} base={draft.base.value.roles} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
