import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import { ShownOnce } from '../ShownOnce';
import { tokenMessages } from './messages';
import type { CreatedToken } from './queries';

/** The secret of a token, displayed only once, and instructions for its use. */
export function TokenSecret({ made: { name, token }, onStored }: { made: CreatedToken; onStored: () => void }) {
  const t = useText(tokenMessages);
  const words = {
    title: t('secretTitle'),
    warning: t('secretWarning'),
    hint: t('secretHint'),
    secret: t('secret', { name }),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return (
    <ShownOnce words={words} lines={[token]} onStored={onStored}>
      <div>
        <Text c="dimmed">{t('usage')}</Text>
        <code>{`Authorization: Bearer ${token.slice(0, 8)}…`}</code>
      </div>
    </ShownOnce>
  );
}
