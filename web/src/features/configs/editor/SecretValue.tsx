import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import type { Editing } from '@/ui';
import type { Config } from '../queries';
import type { ConfigForm } from './form';
import { editorMessages } from './messages';

interface Props {
  editing: Editing<Config, ConfigForm>;
  readOnly: boolean;
  /** The input of the value. */
  children: ReactNode;
}

/** A secret value. Readers of secrets can reveal it; all other editors can only replace it. */
export function SecretValue({ editing: { draft, change }, readOnly, children }: Props) {
  const t = useText(editorMessages);
  const [revealed, { toggle }] = useDisclosure(false);
  const { secret, masked } = draft.value;
  const was = draft.base.value;
  if (masked !== '') {
    return (
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('withheld')}
        </Text>
        {!readOnly && <Button onClick={() => change({ masked: '', value: draft.value.valueType === 'boolean' ? 'false' : '' })}>{t('replace')}</Button>}
      </Group>
    );
  }
  // A value that the user is entering stays visible.
  if (!secret || !was.secret || was.masked !== '') return children;
  return (
    <>
      {revealed ? (
        children
      ) : (
        <Text size="sm" c="dimmed">
          {t('concealed')}
        </Text>
      )}
      <Button mt={6} size="compact-sm" variant="subtle" aria-expanded={revealed} onClick={toggle}>
        {t(revealed ? 'conceal' : 'reveal')}
      </Button>
    </>
  );
}
