import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Banner, Dialog } from '@/ui';
import { uiMessages } from '@/ui/messages';

interface Props {
  /** The title, which states the completed action: “The token was created”. */
  title: string;
  /** States that the secret is lost. */
  warning: string;
  /** How to get another secret. */
  hint: string;
  /** The button that creates another secret, or a link to it. */
  action: ReactNode;
  onClose: () => void;
}

/** Explains that a request was carried out and that the only reply with its secret was lost. */
export function SecretLost({ title, warning, hint, action, onClose }: Props) {
  const ui = useText(uiMessages);
  return (
    <Dialog onClose={onClose} size="md" title={title}>
      <Stack gap="md">
        <Banner tone="warn" title={warning}>
          {hint}
        </Banner>
        <Group justify="flex-end">
          {action}
          <Button onClick={onClose}>{ui('close')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
