import { NativeSelect, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
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
  const { name, encodings, encoding, sample } = file;
  if (encoding === undefined) return <Banner tone="bad" title={t(encodings === undefined ? 'unread' : 'noText', { name })} />;
  if (encodings === undefined || encodings.length < 2) return <Text c="dimmed">{t('readAs', { name, encoding: t(encoding) })}</Text>;
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
