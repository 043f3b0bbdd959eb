import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { isProblem, type Provider } from '@/api';
import { storeReturnPath } from '@/browser/returnTo';
import { useText } from '@/i18n';
import { Dialog, ProblemBanner, useFieldErrorText } from '@/ui';
import { useJourney } from '@/ui/signin/useJourney';
import { PasswordField } from '../PasswordField';
import { linkMessages } from './messages';
import { beginLink } from './queries';

interface Props {
  providers: readonly Provider[];
  /** Whether the user must enter the password: they have one, and no second factor. */
  needsPassword: boolean;
  onClose: () => void;
}

/** The dialog that links the user's account at a provider. The password is never stored in the browser. */
export function LinkAccount({ providers, needsPassword, onClose }: Props) {
  const t = useText(linkMessages);
  const [name, setName] = useState(providers[0]?.name ?? '');
  const [password, setPassword] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const begin = useJourney(
    (provider: string) => beginLink(provider, needsPassword ? password : undefined),
    () => storeReturnPath('/account'),
  );
  const rejected = useFieldErrorText(begin.error)('/password');
  const says = (code: string) => isProblem(begin.error, 'validation_failed') && begin.error.fields.some((field) => field.code === code);
  const fault = submitted && password === '' ? t('passwordNeeded') : says('wrong') ? t('passwordWrong') : rejected;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!needsPassword || password !== '') begin.mutate(name);
  };
  const chosen = providers.find((one) => one.name === name);
  return (
    <Dialog onClose={onClose} size="md" title={t('linkTitle')} withCloseButton={false} closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {begin.error !== null && (!needsPassword || rejected === undefined) && !says('sign_in_again') && <ProblemBanner error={begin.error} />}
          {says('sign_in_again') && (
            <Text c="bad" role="alert">
              {t('signInAgain')}
            </Text>
          )}
          <Text>{t('linkHint')}</Text>
          {providers.length > 1 && (
            <NativeSelect
              label={t('provider')}
              value={name}
              data={providers.map((one) => ({ value: one.name, label: one.displayName }))}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          {needsPassword && (
            <PasswordField
              label={t('password')}
              description={t('passwordHint')}
              kind="current-password"
              value={password}
              error={fault}
              autoFocus
              onChange={setPassword}
            />
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('cancel')}</Button>
            <Button type="submit" variant="filled" loading={begin.isPending}>
              {t('continueTo', { name: chosen?.displayName ?? name })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
