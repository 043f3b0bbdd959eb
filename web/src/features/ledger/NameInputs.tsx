import { Autocomplete, Group, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { ledgerMessages } from './messages';
import type { RecordingForm } from './recording';

interface Props {
  form: RecordingForm;
  /** The names of the existing writers. */
  writers: string[];
  /** Whether to show the inputs for type and id. */
  showsName: boolean;
  disabled: boolean;
  /** The fault at a pointer of the request. */
  errorOf: (place: string) => string | undefined;
  onChange: (part: Partial<Pick<RecordingForm, 'type' | 'id'>>) => void;
  onWriter: (clientId: string) => void;
}

/** The inputs for the aggregate and the writer of the events. */
export function NameInputs({ form, writers, showsName, disabled, errorOf, onChange, onWriter }: Props) {
  const t = useText(ledgerMessages);
  const mono = { input: 'mono' };
  return (
    <>
      {showsName && (
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label={t('type')}
            description={t('typeHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            classNames={mono}
            disabled={disabled}
            value={form.type}
            error={errorOf('/type')}
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
            error={errorOf('/id')}
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
        error={errorOf('/clientId')}
        onChange={onWriter}
      />
    </>
  );
}
