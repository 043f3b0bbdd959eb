import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '@/i18n';
import { Banner, Icon, useCopy } from '@/ui';
import styles from './Factors.module.css';
import { factorMessages } from './messages';

/**
 * Recovery codes, which are shown this once. Only its button leads on, as with the secret of
 * a token.
 */
export function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  const t = useText(factorMessages);
  const copy = useCopy();
  const [isCopied, setCopied] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: true });
  const text = `${codes.join('\n')}\n`;
  const onCopy = async () => {
    await copy(text);
    setCopied(true);
  };
  return (
    <Modal opened onClose={onStored} size="lg" title={t('codesTitle')} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false}>
      <Stack gap="md">
        <Banner tone="warn" title={t('codesWarning')}>
          {t('codesHint')}
        </Banner>
        <div role="group" aria-label={t('codes')}>
          <Text fw={600} mb={4}>
            {t('codes')}
          </Text>
          <ul className={styles.codes} data-secret>
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </div>
        <Group justify="flex-end">
          <Button component="a" href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} download="interlock-recovery-codes.txt">
            {t('download')}
          </Button>
          <Button variant="filled" leftSection={<Icon name={isCopied ? 'check' : 'copy'} />} onClick={() => void onCopy()} data-autofocus>
            {t(isCopied ? 'copied' : 'copy')}
          </Button>
          <Button onClick={onStored}>{t('stored')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
