import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Logo } from '../brand/Logo';
import { LanguageSwitch } from '../shell/LanguageSwitch';
import { SchemeSwitch } from '../shell/SchemeSwitch';
import { useWindowTitle } from '../title';
import { signInMessages } from './messages';
import styles from './SignInFrame.module.css';

/** The frame around the forms for signed-out users. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  const t = useText(signInMessages);
  useWindowTitle([title]);
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <Stack gap={6} mb="lg" align="center">
          <Logo size={34} />
          <Text c="dimmed">{t('tagline')}</Text>
        </Stack>
        <Paper p="xl">
          <Title order={1} mb="md">
            {title}
          </Title>
          {children}
        </Paper>
        <Group justify="center" gap={4} mt="md">
          <LanguageSwitch />
          <SchemeSwitch />
        </Group>
      </div>
    </main>
  );
}
