import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { tableMessages } from './messages';

interface Props {
  title?: string;
  hint?: string;
  action?: ReactNode;
  filtered?: boolean;
  clear?: () => void;
}

/** A list without rows: it is empty, or no row matches. */
export function Empty({ title, hint, action, filtered = false, clear }: Props) {
  const t = useText(tableMessages);
  return (
    <Stack align="center" gap={6} py={48} px="md" role="status">
      <Text fw={600}>{filtered ? t('noMatch') : (title ?? t('empty'))}</Text>
      {(filtered || hint !== undefined) && (
        <Text c="dimmed" ta="center">
          {filtered ? t('noMatchHint') : hint}
        </Text>
      )}
      {filtered ? (
        <Button mt="xs" onClick={clear}>
          {t('clearFilters')}
        </Button>
      ) : (
        action
      )}
    </Stack>
  );
}
