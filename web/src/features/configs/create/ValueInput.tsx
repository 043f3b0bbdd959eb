import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import type { ValueType } from '../queries';
import { indented } from './draft';
import { createMessages } from './messages';

interface Props {
  label: string;
  type: ValueType;
  text: string;
  error?: ReactNode;
  disabled?: boolean;
  onChange: (text: string) => void;
}

/** The input for a value of a type. JSON is indented on blur. */
export function ValueInput({ label, type, text, error, disabled, onChange }: Props) {
  const t = useText(createMessages);
  const shared = { label, error, disabled };
  switch (type) {
    case 'boolean':
      return (
        <NativeSelect
          {...shared}
          value={text === 'true' || text === 'false' ? text : ''}
          data={[{ value: '', label: t('choose') }, 'true', 'false']}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'number':
      return (
        <TextInput {...shared} inputMode="decimal" classNames={{ input: 'mono' }} value={text} onChange={(event) => onChange(event.currentTarget.value)} />
      );
    case 'string':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={12}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'json':
      return (
        <Textarea
          {...shared}
          description={t('jsonHint')}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={() => {
            const pretty = indented(text);
            if (pretty !== text) onChange(pretty);
          }}
        />
      );
  }
}
