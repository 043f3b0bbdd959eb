import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { passkeyUse } from '@/browser/passkeys';
import { useFormat, useText } from '@/i18n';
import { Banner, ProblemBanner, Section, useConfirm, useKeyedAction, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Empty } from '@/ui/table';
import { SecretLost } from '../SecretLost';
import styles from '../sessions/Sessions.module.css';
import { factorMessages } from './messages';
import { OneFactor } from './OneFactor';
import { myFactors, replaceRecoveryCodes, type FactorKind, type IssuedCodes } from './queries';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUpFactor } from './SetUpFactor';

/** At or below this number of recovery codes, the page suggests new ones. */
const few = 3;

/** The second factors of the signed-in user, and the number of remaining recovery codes. */
export function SecondFactors({ userId, hasPassword }: { userId: number; hasPassword: boolean }) {
  const t = useText(factorMessages);
  const ui = useText(uiMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { number } = useFormat();
  const { data, error, refetch } = useQuery(myFactors(userId));
  const [settingUp, setSettingUp] = useState<FactorKind>();
  const close = () => setSettingUp(undefined);
  const [codes, setCodes] = useState<IssuedCodes>();
  const reread = () => void queries.invalidateQueries({ queryKey: ['users', 'one', String(userId)] });
  const isNone = data?.items.length === 0;
  return (
    <Section title={t('title')} hint={t('hint')} action={data !== undefined && <SetUpButtons site={data.passkeySite} onSetUp={setSettingUp} />}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {isNone && <Empty title={t('none')} hint={t('noneHint')} />}
      {data !== undefined && !isNone && (
        <>
          <ul className={styles.list} aria-label={t('list')}>
            {data.items.map((factor) => (
              <OneFactor key={factor.id} factor={factor} onChanged={reread} />
            ))}
          </ul>
          <Group justify="space-between" gap="xs" mt="sm">
            <span>{t('codesLeft', { n: number(data.recoveryCodesLeft) })}</span>
            <NewCodes onMade={setCodes} />
          </Group>
          {data.recoveryCodesLeft <= few && <Banner tone="warn" title={t('codesFew')} />}
        </>
      )}
      {data !== undefined && <WhereElse site={data.passkeySite} />}
      {settingUp !== undefined && (
        <SetUpFactor
          kind={settingUp}
          isFirst={isNone}
          needsPassword={isNone && hasPassword}
          onClose={close}
          onConfirmed={({ recoveryCodes, secretShownOnce }) => {
            close();
            setCodes({ recoveryCodes, secretShownOnce });
            toasts.done(t('done'));
            reread();
          }}
        />
      )}
      {codes?.secretShownOnce && (
        <SecretLost
          title={t('codesTitle')}
          warning={t('codesLost')}
          hint={t('codesLostHint')}
          action={<NewCodes onMade={setCodes} />}
          onClose={() => setCodes(undefined)}
        />
      )}
      {codes?.recoveryCodes !== undefined && (
        <RecoveryCodes
          codes={codes.recoveryCodes}
          onStored={() => {
            setCodes(undefined);
            reread();
          }}
        />
      )}
    </Section>
  );
}

function SetUpButtons({ site, onSetUp }: { site: string | null; onSetUp: (kind: FactorKind) => void }) {
  const t = useText(factorMessages);
  return (
    <Group gap="xs">
      {passkeyUse(site) === 'here' && <Button onClick={() => onSetUp('passkey')}>{t('addPasskey')}</Button>}
      <Button onClick={() => onSetUp('totp')}>{t('add')}</Button>
    </Group>
  );
}

/** Explains why this page cannot register a passkey, and at which URL it is possible. */
function WhereElse({ site }: { site: string | null }) {
  const t = useText(factorMessages);
  const use = passkeyUse(site);
  if (use === 'here') return null;
  const named = new URL(window.location.href);
  named.hostname = 'localhost';
  const labels = {
    atName: () => t.rich('passkeyAtName', { address: <Anchor href={named.href}>{named.origin}</Anchor> }),
    elsewhere: () => t('passkeyElsewhere', { site: site ?? '' }),
    unset: () => t('passkeyUnset'),
    nowhere: () => t('passkeyNowhere'),
    old: () => t('passkeyOld'),
  };
  return (
    <Text fz="sm" c="dimmed" mt="sm">
      {labels[use]()}
    </Text>
  );
}

function NewCodes({ onMade }: { onMade: (codes: IssuedCodes) => void }) {
  const t = useText(factorMessages);
  const confirm = useConfirm();
  const replace = useKeyedAction<null, IssuedCodes>({
    scope: 'me/factors/recovery-codes',
    title: t('newCodes'),
    topics: ['users'],
    send: (_, key) => replaceRecoveryCodes(key),
    onDone: onMade,
  });
  const ask = async () => {
    if ((await confirm({ title: t('newCodesQuestion'), body: t('newCodesBody'), confirm: t('newCodes') })) !== undefined) replace.run(null);
  };
  return (
    <Button loading={replace.outcome === 'sending'} onClick={() => void ask()}>
      {t('newCodes')}
    </Button>
  );
}
