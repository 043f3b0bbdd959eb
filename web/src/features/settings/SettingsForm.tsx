import { Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, RecordForm, usePlaceText, useRecordForm } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { formOf, isComplete, isWrong, most, readFields, useSettingsWords, type SettingsFields } from './fields';
import { settingsMessages } from './messages';
import { editSettings, settings, type Settings } from './queries';

const fields = ['approvalsRequired', 'approvalDays'] as const satisfies readonly (keyof SettingsFields)[];

const isSettingsInput = (pointer: string): boolean => fields.some((name) => pointer === `/${name}`);

/** Edits the settings. */
export function SettingsForm({ record }: { record: Settings }) {
  const t = useText(settingsMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('settings:write');
  const editing = useRecordForm<Settings, SettingsFields>({
    resource: 'settings',
    title: t('title'),
    current: record,
    words: useSettingsWords(),
    read: readFields,
    contentOf: contentOfFields,
    formOf,
    isComplete,
    send: (patch, etag, key) => editSettings(patch, etag, key),
    onRecord: (saved) => {
      queries.setQueryData(settings.queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['settings'] });
    },
  });
  const { draft, strict, error } = editing;
  const refused = usePlaceText(error);
  return (
    <Paper component="section" p="lg" aria-labelledby="approvals">
      <RecordForm
        editing={editing}
        lacks={mayWrite ? undefined : 'settings:write'}
        told={isSettingsInput}
        head={
          <div>
            <Title order={2} id="approvals">
              {t('approvals')}
            </Title>
            <Text c="dimmed">{t('approvalsHint')}</Text>
          </div>
        }
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          {fields.map((name) => (
            <WholeInput
              key={name}
              label={t(name)}
              description={t(`${name}Hint`, { most: String(most[name]) })}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data-field={name}
              max={most[name]}
              clampBehavior="none"
              readOnly={!mayWrite}
              value={draft.value[name]}
              error={strict && isWrong(draft.value, name) ? t('between', { most: String(most[name]) }) : refused(`/${name}`)}
              onChange={(value) => editing.change({ [name]: value })}
            />
          ))}
        </SimpleGrid>
      </RecordForm>
    </Paper>
  );
}
