import { Paper, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { RecordForm, useFaults, useRecordForm } from '@/ui';
import { textOf } from '../sets';
import { maxDisplayNameLength, useUserLabels } from '../users/fields';
import { userMessages } from '../users/messages';
import { oneUser, type User } from '../users/queries';
import { accountMessages } from './messages';
import { editMe, myAccount, type Me } from './queries';

interface Props {
  me: Me;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

/** The form for the user's display name. An administrator may edit the same field on the user's page at the same time. */
export function NameForm({ me, onField }: Props) {
  const t = useText(accountMessages);
  const user = useText(userMessages);
  const queries = useQueryClient();
  const { id } = me;
  const editing = useRecordForm<User, { displayName: string }>({
    resource: 'me',
    title: t('title'),
    current: me,
    labels: useUserLabels(),
    read: ({ displayName }) => ({ displayName }),
    contentOf: ({ displayName }) => ({ displayName }),
    formOf: ({ displayName = '' }) => ({ displayName: textOf(displayName) }),
    isComplete: ({ displayName }) => displayName.trim() !== '',
    send: editMe,
    onRecord: (saved) => {
      // The record in a conflict lacks the permissions.
      queries.setQueryData(myAccount(id).queryKey, (before) => before && { ...before, ...saved });
      void queries.invalidateQueries({ queryKey: oneUser(id).queryKey });
    },
  });
  const { draft, strict, error } = editing;
  const { errorOf, hasInput } = useFaults({ strict, error }, ['displayName'], () => draft.value.displayName.trim() === '' && user('displayNameNeeded'));
  return (
    <Paper component="section" p="lg" aria-labelledby="name">
      <RecordForm
        editing={editing}
        hasInput={hasInput}
        onField={onField}
        head={
          <div>
            <Title order={2} id="name">
              {t('name')}
            </Title>
            <Text c="dimmed">{t('nameHint')}</Text>
          </div>
        }
      >
        <TextInput
          data-field="displayName"
          label={user('displayName')}
          autoComplete="name"
          maxLength={maxDisplayNameLength}
          maw={420}
          value={draft.value.displayName}
          error={errorOf('displayName')}
          onChange={(event) => editing.change({ displayName: event.currentTarget.value })}
        />
      </RecordForm>
    </Paper>
  );
}
