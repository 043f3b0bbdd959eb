import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useFormat, useText } from '@/i18n';
import { StatusChip, When } from '@/ui';
import { RemoveButton } from '../RemoveButton';
import styles from '../sessions/Sessions.module.css';
import { factorMessages } from './messages';
import { removeFactor, type Factor } from './queries';
import { RenameFactor } from './RenameFactor';

/** One second factor of the user: its details and actions. */
export function OneFactor({ factor, onChanged }: { factor: Factor; onChanged: () => void }) {
  const { id, kind, name, lastUsedTime, createdTime, passkey } = factor;
  const t = useText(factorMessages);
  const [renaming, { open, close }] = useDisclosure();
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
        <RemoveButton
          scope={`me/factors/${id}`}
          label={t('removeOne', { name })}
          text={t('remove')}
          question={{ title: t('removeQuestion', { name }), body: t('removeBody') }}
          send={() => removeFactor(id)}
          done={t('removed', { name })}
          already={t('removedAlready')}
          onChanged={onChanged}
        />
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

/** The labels of authenticator transports; unknown transports are shown unchanged. */
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
  const labels = ways.map((way) => {
    const known = transports[way];
    return known === undefined ? way : t(known);
  });
  return (
    <>
      <span>{t('site', { site })}</span>
      {labels.length > 0 && <span>{t('transports', { list: list(labels) })}</span>}
      {cloneWarningTime !== null && <span>{t.rich('clonedHint', { when: <When time={cloneWarningTime} /> })}</span>}
    </>
  );
}
