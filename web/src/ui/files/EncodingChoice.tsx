import { NativeSelect, Text } from '@mantine/core';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { ProblemBanner } from '../feedback/ProblemBanner';
import type { Encoding } from './encoding';
import { fileMessages } from './messages';
import type { TextFile } from './useTextFile';

interface Props {
  file: TextFile | undefined;
  /** Reads the file in another encoding. */
  onEncoding: (encoding: Encoding) => void;
  disabled?: boolean;
}

/** Displays the encoding of a file, and offers the other encodings in which its bytes are valid. */
export function EncodingChoice({ file, onEncoding, disabled }: Props) {
  const t = useText(fileMessages);
  if (file === undefined) return null;
  const { name, encodings, encoding, sample, failure } = file;
  if (failure !== undefined && isProblem(failure.error)) return <ProblemBanner {...failure} />;
  if (encoding === undefined) return <Banner tone="bad" title={t(failure === undefined ? 'noText' : 'unread', { name })} />;
  if (encodings.length < 2) return <Text c="dimmed">{t('readAs', { name, encoding: t(encoding) })}</Text>;
  return (
    <NativeSelect
      label={t('encoding', { name })}
      description={t('encodingHint', { sample })}
      data={encodings.map((value) => ({ value, label: t(value) }))}
      value={encoding}
      disabled={disabled}
      onChange={(event) => onEncoding(event.currentTarget.value as Encoding)}
    />
  );
}
