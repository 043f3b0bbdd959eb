import { Autocomplete, Group, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { ledgerMessages } from './messages';
import type { RecordingForm } from './recording';

interface Props {
  form: RecordingForm;
  /** The names of the writers that there are. */
  writers: string[];
  /** Whether type and id are asked for. */
  asksName: boolean;
  disabled: boolean;
  /** What is wrong with a place of the request. */
  wrong: (place: string) => string | undefined;
  onChange: (part: Partial<Pick<RecordingForm, 'type' | 'id'>>) => void;
  onWriter: (clientId: string) => void;
}

/** What events are recorded for, and who counts. */
export function NameInputs({ form, writers, asksName, disabled, wrong, onChange, onWriter }: Props) {
  const t = useText(ledgerMessages);
  const mono = { input: 'mono' };
  return (
    <>
      {asksName && (
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label={t('type')}
            description={t('typeHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            classNames={mono}
            disabled={disabled}
            value={form.type}
            error={wrong('/type')}
            onChange={(event) => onChange({ type: event.currentTarget.value.trim() })}
            data-autofocus
          />
          <TextInput
            label={t('id')}
            description={t('idHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            classNames={mono}
            disabled={disabled}
            value={form.id}
            error={wrong('/id')}
            onChange={(event) => onChange({ id: event.currentTarget.value.trim() })}
          />
        </Group>
      )}
      <Autocomplete
        label={t('writer')}
        description={t('writerHint')}
        classNames={mono}
        maxLength={128}
        data={writers}
        limit={8}
        disabled={disabled}
        value={form.clientId}
        error={wrong('/clientId')}
        onChange={onWriter}
      />
    </>
  );
}
