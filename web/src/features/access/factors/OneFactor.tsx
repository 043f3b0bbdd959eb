import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { StatusChip, useConfirm, useKeyedAction, useToasts, When } from '@/ui';
import styles from '../sessions/Sessions.module.css';
import { factorMessages } from './messages';
import { removeFactor, type Factor } from './queries';
import { RenameFactor } from './RenameFactor';

/** One factor of one's own, what is known of it, and what can be done with it. */
export function OneFactor({ factor, onChanged }: { factor: Factor; onChanged: () => void }) {
  const { id, kind, name, lastUsedTime, createdTime, passkey } = factor;
  const t = useText(factorMessages);
  const confirm = useConfirm();
  const toasts = useToasts();
  const [renaming, { open, close }] = useDisclosure();
  const remove = useKeyedAction<null, unknown>({
    scope: `me/factors/${id}`,
    title: t('removeOne', { name }),
    topics: ['users'],
    send: () => removeFactor(id),
    onDone: () => {
      toasts.done(t('removed', { name }));
      onChanged();
    },
    onRefused: (error) => {
      if (isProblem(error, 'not_found')) toasts.info(t('removedAlready'));
      else toasts.failed(error);
      onChanged();
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
          <StatusChip tone="ok">{t(kind)}</StatusChip>
          {passkey?.backedUp === true && <StatusChip>{t('backedUp')}</StatusChip>}
          {passkey !== null && passkey.cloneWarningTime !== null && <StatusChip tone="bad">{t('cloned')}</StatusChip>}
        </div>
        <div className={styles.facts}>
          <span>{t.rich('since', { when: <When time={createdTime} /> })}</span>
          <span>{lastUsedTime === null ? t('notUsed') : t.rich('used', { when: <When time={lastUsedTime} /> })}</span>
          {passkey !== null && <PasskeyFacts passkey={passkey} />}
        </div>
      </div>
      <Group gap={4} wrap="nowrap">
        <Button variant="subtle" aria-label={t('renameOne', { name })} onClick={open}>
          {t('rename')}
        </Button>
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
      </Group>
      {renaming && (
        <RenameFactor
          factor={factor}
          onClose={close}
          onRenamed={() => {
            close();
            onChanged();
          }}
        />
      )}
    </li>
  );
}

/** The words for ways by which browsers reach authenticators; others are shown as they are. */
const transports: Partial<Record<string, 'internal' | 'hybrid' | 'usb' | 'nfc' | 'ble'>> = {
  internal: 'internal',
  hybrid: 'hybrid',
  usb: 'usb',
  nfc: 'nfc',
  ble: 'ble',
};

function PasskeyFacts({ passkey: { site, transports: ways, cloneWarningTime } }: { passkey: NonNullable<Factor['passkey']> }) {
  const t = useText(factorMessages);
  const { list } = useFormat();
  const words = ways.map((way) => {
    const known = transports[way];
    return known === undefined ? way : t(known);
  });
  return (
    <>
      <span>{t('site', { site })}</span>
      {words.length > 0 && <span>{t('transports', { list: list(words) })}</span>}
      {cloneWarningTime !== null && <span>{t.rich('clonedHint', { when: <When time={cloneWarningTime} /> })}</span>}
    </>
  );
}
