import { Textarea } from '@mantine/core';
import { useText } from '@/i18n';
import { editorMessages } from './messages';

interface Props {
  /** The programs that own the changed fields. */
  programs: readonly string[];
  reason: string;
  onChange: (reason: string) => void;
}

/** The reason for changing fields that a program owns. */
export function TakeOver({ programs, reason, onChange }: Props) {
  const t = useText(editorMessages);
  if (programs.length === 0) return null;
  return (
    <Textarea
      m="md"
      autosize
      required
      maxLength={500}
      label={t('takeOver')}
      description={t('takeOverHint', { manager: programs.join(', ') })}
      value={reason}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
