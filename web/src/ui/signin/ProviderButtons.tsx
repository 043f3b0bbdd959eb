import { Button, Divider, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { providerAddress } from '@/api';
import { keepPlace } from '@/browser/returnTo';
import { useText } from '@/i18n';
import { signInMessages } from './messages';
import { useProviders } from './useProviders';

/** While a tenant's name is typed, it is looked for when the typing rests, in ms. */
const rest = 300;

interface Props {
  tenant: string;
  /** Somebody is at work on the page beneath: the provider's opens beside it, and this one goes on when that is done. */
  isAtWork: boolean;
}

/** The ways to sign in by a provider; nothing where there is none. */
export function ProviderButtons({ tenant, isAtWork }: Props) {
  const t = useText(signInMessages);
  const [settled] = useDebouncedValue(tenant, rest);
  const providers = useProviders(settled);
  if (providers.length === 0) return null;
  return (
    <Stack gap="xs" mt="md">
      <Divider label={t('or')} />
      {providers.map(({ name, displayName }) => (
        <Button
          key={name}
          component="a"
          href={providerAddress(name, settled)}
          target={isAtWork ? '_blank' : undefined}
          rel="noopener"
          size="md"
          onClick={() => {
            if (!isAtWork) keepPlace();
          }}
        >
          {t('signInWith', { name: displayName })}
        </Button>
      ))}
    </Stack>
  );
}
