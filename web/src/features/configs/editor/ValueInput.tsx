import { Switch, Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { CodeEditor, type Fault } from '@/ui/code/Code';
import { configMessages } from '../messages';
import type { ConfigForm } from './form';
import { editorMessages } from './messages';

interface Props {
  id: string;
  form: ConfigForm;
  onChange: (value: string) => void;
  readOnly: boolean;
  faults: readonly Fault[];
}

const maxEditorRows = 24;

/** The input for a value, by type. */
export function ValueInput({ id, form: { value, valueType }, onChange, readOnly, faults }: Props) {
  const t = useText(editorMessages);
  const configs = useText(configMessages);
  const error = faults.length > 0 && faults.map(({ message }) => message).join(' ');
  switch (valueType) {
    case 'json':
      return <CodeEditor label={configs('value')} language="json" value={value} onChange={onChange} readOnly={readOnly} faults={faults} />;
    case 'boolean': {
      const isOn = value === 'true' || value === '"true"';
      return (
        <Switch
          id={id}
          checked={isOn}
          disabled={readOnly}
          error={error}
          label={<code>{t(isOn ? 'on' : 'off')}</code>}
          onChange={(event) => onChange(event.currentTarget.checked ? 'true' : 'false')}
        />
      );
    }
    case 'number':
      return (
        <TextInput
          id={id}
          className="mono"
          inputMode="decimal"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value}
          readOnly={readOnly}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'string':
      return (
        <Textarea
          id={id}
          autosize
          maxRows={maxEditorRows}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={value}
          readOnly={readOnly}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
