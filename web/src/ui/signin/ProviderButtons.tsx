import { Button, Divider, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { providerAddress } from '@/api';
import { storeReturnPath } from '@/browser/returnTo';
import { useText } from '@/i18n';
import { signInMessages } from './messages';
import { useProviders } from './useProviders';

/** The debounce delay between typing a tenant's name and looking it up, in ms. */
const rest = 300;

interface Props {
  tenant: string;
  /** Whether a page with input is open below the dialog. Then the provider opens in another tab, and this page resumes afterwards. */
  isAtWork: boolean;
}

/** The buttons for single sign-on; nothing if the tenant has no provider. */
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
            if (!isAtWork) storeReturnPath();
          }}
        >
          {t('signInWith', { name: displayName })}
        </Button>
      ))}
    </Stack>
  );
}
