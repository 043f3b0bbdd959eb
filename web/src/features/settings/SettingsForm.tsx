import { Checkbox, Paper, SimpleGrid, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { RecordForm, useFieldErrorText, useRecordForm } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { amounts, counts, maxCounts, settingsForm, unpaidMinutes, useSettingsLabels, type SettingsFields } from './fields';
import { settingsMessages } from './messages';
import { editSettings, settings, type Settings } from './queries';

const inputs = [...counts, ...amounts, 'selfApproval', 'timeZone', 'unpaidOrderMinutes'] as const;
const isSettingsInput = (pointer: string): boolean => inputs.some((name) => pointer === `/${name}`);
const minutesRange = { least: String(unpaidMinutes.least), most: String(unpaidMinutes.most) };

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
              description={t(`${name}Hint`, { most: String(maxCounts[name]) })}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              data-field={name}
              max={maxCounts[name]}
              clampBehavior="none"
              readOnly={!mayWrite}
              value={draft.value[name]}
              error={strict && isWrong(draft.value, name) ? t('between', { most: String(maxCounts[name]) }) : rejected(`/${name}`)}
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
          <WholeInput
            label={t('unpaidOrderMinutes')}
            description={t('unpaidOrderMinutesHint', minutesRange)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-field="unpaidOrderMinutes"
            max={unpaidMinutes.most}
            clampBehavior="none"
            readOnly={!mayWrite}
            value={draft.value.unpaidOrderMinutes}
            error={strict && isWrong(draft.value, 'unpaidOrderMinutes') ? t('unpaidBetween', minutesRange) : rejected('/unpaidOrderMinutes')}
            onChange={(value) => editing.change({ unpaidOrderMinutes: value })}
          />
          <TextInput
            label={t('timeZone')}
            description={t('timeZoneHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            data-field="timeZone"
            autoComplete="off"
            readOnly={!mayWrite}
            value={draft.value.timeZone}
            error={strict && isWrong(draft.value, 'timeZone') ? t('timeZoneMissing') : rejected('/timeZone')}
            onChange={(event) => editing.change({ timeZone: event.currentTarget.value })}
          />
          <Checkbox
            label={t('selfApproval')}
            description={t('selfApprovalHint')}
            data-field="selfApproval"
            disabled={!mayWrite}
            checked={draft.value.selfApproval}
            error={rejected('/selfApproval')}
            onChange={(event) => editing.change({ selfApproval: event.currentTarget.checked })}
          />
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
