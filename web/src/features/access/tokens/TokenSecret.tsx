import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '@/i18n';
import { Banner, Icon, useCopy } from '@/ui';
import { tokenMessages } from './messages';
import type { CreatedToken } from './queries';
import styles from './TokenSecret.module.css';

/**
 * The secret of a token, which is shown this once. Only its button leads on: no click
 * beside it, no Escape, no way back, and the browser asks before the page is closed or
 * loaded anew.
 */
export function TokenSecret({ made: { name, token }, onStored }: { made: CreatedToken; onStored: () => void }) {
  const t = useText(tokenMessages);
  const copy = useCopy();
  const [isCopied, setCopied] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true });
  const onCopy = async () => {
    await copy(token);
    setCopied(true);
  };
  return (
    <Modal opened onClose={onStored} size="lg" title={t('secretTitle')} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false}>
      <Stack gap="md">
        <Banner tone="warn" title={t('secretWarning')}>
          {t('secretHint')}
        </Banner>
        <div role="group" aria-label={t('secret', { name })}>
          <Text fw={600} mb={4}>
            {t('secret', { name })}
          </Text>
          <code className={styles.secret} data-secret>
            {token}
          </code>
        </div>
        <div>
          <Text c="dimmed">{t('usage')}</Text>
          <code className={styles.usage}>{`Authorization: Bearer ${token.slice(0, 8)}…`}</code>
        </div>
        <Group justify="flex-end">
          <Button variant="filled" leftSection={<Icon name={isCopied ? 'check' : 'copy'} />} onClick={() => void onCopy()} data-autofocus>
            {t(isCopied ? 'copied' : 'copy')}
          </Button>
          <Button onClick={onStored}>{t('stored')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
