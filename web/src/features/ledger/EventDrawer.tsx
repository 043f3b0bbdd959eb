import { Button, Drawer, Group, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { encode } from '@/merge';
import { Banner, CopyButton, CopyText, Icon, Person, ProblemBanner, StatusChip } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { spelled, useCounts } from './count';
import { byName } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { oneEvent, type AggregateName, type LedgerEvent } from './queries';

interface Props {
  name: AggregateName;
  /** The version that the event made. */
  version: number;
  /** The version of the aggregate. */
  newest: number;
  onGo: (version: number) => void;
  onClose: () => void;
}

/** All that is known of one event, and the way to its neighbours. */
export function EventDrawer({ name, version, newest, onGo, onClose }: Props) {
  const t = useText(ledgerMessages);
  const ui = useText(uiMessages);
  const { data, error, refetch } = useQuery(oneEvent(name, version));
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={t('event', { version: String(version) })}
      closeButtonProps={{ 'aria-label': ui('close') }}
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data === null && (
        <Banner tone="info" title={t('noSuchEvent', { version: String(version) })}>
          {t('noSuchEventHint')}
        </Banner>
      )}
      {data && <Facts event={data} />}
      <Group mt="lg" justify="space-between">
        <Button size="xs" leftSection={<Icon name="chevronLeft" />} disabled={version <= 1} onClick={() => onGo(version - 1)}>
          {t('older')}
        </Button>
        <Button size="xs" rightSection={<Icon name="chevronRight" />} disabled={version >= newest} onClick={() => onGo(version + 1)}>
          {t('newer')}
        </Button>
      </Group>
    </Drawer>
  );
}

function Facts({ event }: { event: LedgerEvent }) {
  const t = useText(ledgerMessages);
  const { dateTime } = useFormat();
  const { signed } = useCounts();
  const payload = event.payload === null ? '' : encode(event.payload, 2);
  return (
    <dl className={styles.facts}>
      <Fact name={t('eventType')}>
        <StatusChip>{event.eventType}</StatusChip>
      </Fact>
      <Fact name={t('deltas')}>
        {Object.keys(event.deltas).length === 0 && t('none')}
        {byName(event.deltas).map(([name, count]) => (
          <div key={name}>
            <span className="mono">{name}</span> <strong className="tabular">{signed(count)}</strong>
          </div>
        ))}
      </Fact>
      <Fact name={t('time')}>{dateTime(event.eventTime)}</Fact>
      <Fact name={t('writer')}>
        <CopyText text={event.clientId} label={t('writer')} />
      </Fact>
      <Fact name={t('sequence')}>{event.clientSeq === null ? t('none') : <CopyText text={spelled(event.clientSeq)} label={t('sequence')} />}</Fact>
      <Fact name={t('eventId')}>{event.eventId === null ? t('none') : <CopyText text={event.eventId} label={t('eventId')} />}</Fact>
      <Fact name={t('payload')}>
        {payload === '' ? (
          t('noPayload')
        ) : (
          <div className={styles.payload}>
            <pre tabIndex={0} role="region" aria-label={t('payload')}>
              {payload}
            </pre>
            <CopyButton text={payload} label={t('payload')} />
          </div>
        )}
      </Fact>
      <Fact name={t('written')}>
        {dateTime(event.createdTime)} · <Person person={event.createdBy} />
      </Fact>
      {event.batchVersion !== event.version && <Fact name={t('batch')}>v{event.batchVersion}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
