import { Button, Group, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, ProblemBanner, Section, StatusChip, useConfirm, useKeyedAction, useToasts, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Empty } from '@/ui/table';
import styles from '../sessions/Sessions.module.css';
import { factorMessages } from './messages';
import { myFactors, removeFactor, replaceRecoveryCodes, type Factor } from './queries';
import { RecoveryCodes } from './RecoveryCodes';
import { SetUpFactor } from './SetUpFactor';

/** From so many recovery codes on one is told to get new ones. */
const few = 3;

/** One's own second factors: what is asked for beside the password, and how many recovery codes are left. */
export function SecondFactors({ userId, hasPassword }: { userId: number; hasPassword: boolean }) {
  const t = useText(factorMessages);
  const ui = useText(uiMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { number } = useFormat();
  const { data, error, refetch } = useQuery(myFactors(userId));
  const [settingUp, { open, close }] = useDisclosure();
  const [codes, setCodes] = useState<readonly string[]>();
  const reread = () => void queries.invalidateQueries({ queryKey: ['users', 'one', String(userId)] });
  const isNone = data?.items.length === 0;
  return (
    <Section title={t('title')} hint={t('hint')} action={data !== undefined && <Button onClick={open}>{t('add')}</Button>}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {isNone && <Empty title={t('none')} hint={t('noneHint')} />}
      {data !== undefined && !isNone && (
        <>
          <ul className={styles.list} aria-label={t('list')}>
            {data.items.map((factor) => (
              <OneFactor key={factor.id} factor={factor} onGone={reread} />
            ))}
          </ul>
          <Group justify="space-between" gap="xs" mt="sm">
            <span>{t('codesLeft', { n: number(data.recoveryCodesLeft) })}</span>
            <NewCodes onMade={setCodes} />
          </Group>
          {data.recoveryCodesLeft <= few && <Banner tone="warn" title={t('codesFew')} />}
        </>
      )}
      {settingUp && (
        <SetUpFactor
          isFirst={isNone}
          asksPassword={isNone && hasPassword}
          onClose={close}
          onConfirmed={({ recoveryCodes }) => {
            close();
            setCodes(recoveryCodes);
            toasts.done(t('done'));
            reread();
          }}
        />
      )}
      {codes !== undefined && (
        <RecoveryCodes
          codes={codes}
          onStored={() => {
            setCodes(undefined);
            reread();
          }}
        />
      )}
    </Section>
  );
}

function OneFactor({ factor: { id, name, lastUsedTime, createdTime }, onGone }: { factor: Factor; onGone: () => void }) {
  const t = useText(factorMessages);
  const confirm = useConfirm();
  const toasts = useToasts();
  const remove = useKeyedAction<null, unknown>({
    scope: `me/factors/${id}`,
    title: t('removeOne', { name }),
    topics: ['users'],
    send: () => removeFactor(id),
    onDone: () => {
      toasts.done(t('removed', { name }));
      onGone();
    },
    onRefused: (error) => {
      if (isProblem(error, 'not_found')) toasts.info(t('removedAlready'));
      else toasts.failed(error);
      onGone();
    },
  });
  const ask = async () => {
    if ((await confirm({ title: t('removeAsk', { name }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' })) !== undefined) remove.run(null);
  };
  return (
    <li className={styles.session}>
      <div className={styles.about}>
        <div className={styles.head}>
          <span className={styles.device}>{name}</span>
          <StatusChip tone="ok">{t('totp')}</StatusChip>
        </div>
        <div className={styles.facts}>
          <span>{t.rich('since', { when: <When time={createdTime} /> })}</span>
          <span>{lastUsedTime === null ? t('notUsed') : t.rich('used', { when: <When time={lastUsedTime} /> })}</span>
        </div>
      </div>
      <Button
        color="bad"
        variant="subtle"
        aria-label={t('removeOne', { name })}
        loading={remove.outcome === 'sending'}
        disabled={remove.outcome === 'unknown'}
        onClick={() => void ask()}
      >
        {t('remove')}
      </Button>
    </li>
  );
}

function NewCodes({ onMade }: { onMade: (codes: readonly string[]) => void }) {
  const t = useText(factorMessages);
  const confirm = useConfirm();
  const replace = useKeyedAction<null, string[]>({
    scope: 'me/factors/recovery-codes',
    title: t('newCodes'),
    topics: ['users'],
    send: () => replaceRecoveryCodes(),
    onDone: onMade,
  });
  const ask = async () => {
    if ((await confirm({ title: t('newCodesAsk'), body: t('newCodesBody'), confirm: t('newCodes') })) !== undefined) replace.run(null);
  };
  return (
    <Button loading={replace.outcome === 'sending'} onClick={() => void ask()}>
      {t('newCodes')}
    </Button>
  );
}
