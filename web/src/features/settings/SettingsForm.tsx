import { Paper, SimpleGrid, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { RecordForm, useFieldErrorText, useRecordForm } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { amounts, counts, most, settingsForm, useSettingsLabels, type SettingsFields } from './fields';
import { settingsMessages } from './messages';
import { editSettings, settings, type Settings } from './queries';

const isSettingsInput = (pointer: string): boolean => [...counts, ...amounts].some((name) => pointer === `/${name}`);

export function SettingsForm({ record }: { record: Settings }) {
  const t = useText(settingsMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('settings:write');
  const format = useFormat();
  const { read, contentOf, formOf, isComplete, isWrong } = settingsForm(format);
  const editing = useRecordForm<Settings, SettingsFields>({
    resource: 'settings',
    title: t('title'),
    current: record,
    labels: useSettingsLabels(),
    read,
    contentOf,
    formOf,
    isComplete,
    needs: ({ changeNeeds }) => ({ votes: changeNeeds?.approvals }),
    send: (patch, etag, key) => editSettings(patch, etag, key),
    onRecord: (saved) => {
      queries.setQueryData(settings.queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['settings'] });
    },
  });
  const { draft, strict, error } = editing;
  const rejected = useFieldErrorText(error);
  return (
    <Paper component="section" p="lg" aria-labelledby="approvals">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'settings:write'}
        hasInput={isSettingsInput}
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
          {counts.map((name) => (
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
              error={strict && isWrong(draft.value, name) ? t('between', { most: String(most[name]) }) : rejected(`/${name}`)}
              onChange={(value) => editing.change({ [name]: value })}
            />
          ))}
          {amounts.map((name) => (
            <TextInput
              key={name}
              label={t(name)}
              description={t(`${name}Hint`)}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data-field={name}
              inputMode="decimal"
              autoComplete="off"
              leftSection={<span aria-hidden="true">{format.currencySign}</span>}
              leftSectionWidth={format.currencySign.length > 1 ? 52 : undefined}
              readOnly={!mayWrite}
              value={draft.value[name]}
              error={strict && isWrong(draft.value, name) ? t('amount') : rejected(`/${name}`)}
              onChange={(event) => editing.change({ [name]: event.currentTarget.value })}
            />
          ))}
          <TextInput
            label={t('currency')}
            description={t('currencyHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            readOnly
            value={record.currency}
          />
        </SimpleGrid>
      </RecordForm>
    </Paper>
  );
}
