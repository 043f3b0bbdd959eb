import { Button, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { SecretLost } from '../SecretLost';
import { ShownOnce } from '../ShownOnce';
import { tokenMessages } from './messages';
import type { CreatedToken } from './queries';

interface Props {
  made: CreatedToken;
  onStored: () => void;
  /** Opens the details of the token, where it can be revoked. */
  onShow: () => void;
}

/** The secret of a token, displayed only once, and instructions for its use. */
export function TokenSecret({ made: { name, token }, onStored, onShow }: Props) {
  const t = useText(tokenMessages);
  if (token === undefined) {
    const show = (
      <Button variant="filled" onClick={onShow} data-autofocus>
        {t('lostShow')}
      </Button>
    );
    return <SecretLost title={t('lostTitle', { name })} warning={t('lostWarning')} hint={t('lostHint')} action={show} onClose={onStored} />;
  }
  const labels = {
    title: t('secretTitle'),
    warning: t('secretWarning'),
    hint: t('secretHint'),
    secret: t('secret', { name }),
    copy: t('copy'),
    copied: t('copied'),
    stored: t('stored'),
  };
  return (
    <ShownOnce labels={labels} lines={[token]} onStored={onStored}>
      <div>
        <Text c="dimmed">{t('usage')}</Text>
        <code>{`Authorization: Bearer ${token.slice(0, 8)}…`}</code>
      </div>
    </ShownOnce>
  );
}
