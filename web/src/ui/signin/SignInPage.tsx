import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useText } from '@/i18n';
import { Logo, productName } from '../brand/Logo';
import { LanguageSwitch } from '../shell/LanguageSwitch';
import { SchemeSwitch } from '../shell/SchemeSwitch';
import { signInMessages } from './messages';
import { SignInForm } from './SignInForm';
import styles from './SignInPage.module.css';

/** Stands at whatever address was asked for, until somebody is signed in. */
export function SignInPage() {
  const t = useText(signInMessages);
  const title = `${t('title')} · ${productName}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className={styles.page}>
      <div className={styles.column}>
        <Stack gap={6} mb="lg" align="center">
          <Logo size={34} />
          <Text c="dimmed">{t('tagline')}</Text>
        </Stack>
        <Paper p="xl">
          <Title order={1} mb="md">
            {t('title')}
          </Title>
          <SignInForm />
        </Paper>
        <Group justify="center" gap={4} mt="md">
          <LanguageSwitch />
          <SchemeSwitch />
        </Group>
      </div>
    </main>
  );
}
