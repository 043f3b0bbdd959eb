import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { encode } from '@/merge';
import { Banner, CopyButton, CopyText, Facts, Icon, Person, RecordDrawer, StatusChip } from '@/ui';
import { spelled, useCounts } from './count';
import { byName } from './CountList';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { oneEvent, type AggregateName, type LedgerEvent } from './queries';

interface Props {
  name: AggregateName;
  /** The version that the event created. */
  version: number;
  /** The current version of the aggregate. */
  newest: number;
  onGo: (version: number) => void;
  onClose: () => void;
}

/** The details of one event, with links to its neighbours. */
export function EventDrawer({ name, version, newest, onGo, onClose }: Props) {
  const t = useText(ledgerMessages);
  const missing = (
    <Banner tone="info" title={t('noSuchEvent', { version: String(version) })}>
      {t('noSuchEventHint')}
    </Banner>
  );
  return (
    <RecordDrawer
      query={useQuery(oneEvent(name, version))}
      title={t('event', { version: String(version) })}
      missing={missing}
      foot={
        <Group mt="lg" justify="space-between">
          <Button size="xs" leftSection={<Icon name="chevronLeft" />} disabled={version <= 1} onClick={() => onGo(version - 1)}>
            {t('older')}
          </Button>
          <Button size="xs" rightSection={<Icon name="chevronRight" />} disabled={version >= newest} onClick={() => onGo(version + 1)}>
            {t('newer')}
          </Button>
        </Group>
      }
      onClose={onClose}
    >
      {(event) => (event === null ? missing : <About event={event} />)}
    </RecordDrawer>
  );
}

function About({ event }: { event: LedgerEvent }) {
  const t = useText(ledgerMessages);
  const { dateTime } = useFormat();
  const { signed } = useCounts();
  const payload = event.payload === null ? '' : encode(event.payload, 2);
  const copied = (text: string | null | undefined, label: string) => (text ? <CopyText text={text} label={label} /> : t('none'));
  return (
    <Facts
      layout="list"
      facts={[
        [t('eventType'), <StatusChip key="type">{event.eventType}</StatusChip>],
        [
          t('deltas'),
          Object.keys(event.deltas).length === 0
            ? t('none')
            : byName(event.deltas).map(([name, count]) => (
                <div key={name}>
                  <span className="mono">{name}</span> <strong className="tabular">{signed(count)}</strong>
                </div>
              )),
        ],
        [t('time'), dateTime(event.eventTime)],
        [t('writer'), copied(event.clientId, t('writer'))],
        [t('sequence'), copied(event.clientSeq === null ? null : spelled(event.clientSeq), t('sequence'))],
        [t('eventId'), copied(event.eventId, t('eventId'))],
        [
          t('payload'),
          payload === '' ? (
            t('noPayload')
          ) : (
            <div key="payload" className={styles.payload}>
              <pre tabIndex={0} role="region" aria-label={t('payload')}>
                {payload}
              </pre>
              <CopyButton text={payload} label={t('payload')} />
            </div>
          ),
        ],
        [
          t('written'),
          <span key="written">
            {dateTime(event.createdTime)} · <Person person={event.createdBy} />
          </span>,
        ],
        event.batchVersion !== event.version && [t('batch'), `v${event.batchVersion}`],
      ]}
    />
  );
}
