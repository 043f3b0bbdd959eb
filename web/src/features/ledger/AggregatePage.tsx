import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { ActButton, CopyButton, Icon, RecordPage } from '@/ui';
import { Empty, readable, type Raw } from '@/ui/table';
import { CounterPanel } from './CounterPanel';
import { EventDrawer } from './EventDrawer';
import { EventTable } from './EventTable';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { oneAggregate, pathOf, type AggregateName, type EventSearch } from './queries';
import { RecordDialog } from './RecordDialog';
import { WriterPanel } from './WriterPanel';

interface Search extends EventSearch {
  /** The version of the open event. */
  event?: number;
}

interface Props {
  name: AggregateName;
  /** The displayed events, and the open one. */
  search: Raw<Search>;
}

/** The page of an aggregate: counters, writers and events. */
export function AggregatePage({ name, search }: Props) {
  const t = useText(ledgerMessages);
  const navigate = useNavigate();
  const query = useQuery(oneAggregate(name));
  const may = useMay();
  const [recording, { open, close }] = useDisclosure();
  const { event } = readable<Search>(search);
  const path = pathOf(name);
  const record = may('ledger:write') && (
    <ActButton hotkey="n" variant="filled" leftSection={<Icon name="plus" />} onClick={open}>
      {t('record')}
    </ActButton>
  );
  // The list stays on its page behind the drawer.
  const show = (version: number | undefined) => void navigate({ to: '.', search: { ...search, event: version } as never, state: true, resetScroll: false });
  return (
    <>
      <RecordPage
        query={query}
        name={path}
        mono
        parent={{ to: '/aggregates', label: t('title') }}
        chips={() => <CopyButton text={path} label={t('copyName')} />}
        actions={() => (
          <>
            {may('audit:read') && (
              <Link to="/audit-log" search={{ resource: `aggregates/${path}` }}>
                {t('audit')}
              </Link>
            )}
            {record}
          </>
        )}
        missing={<Empty title={t('unmade', { name: path })} hint={t('unmadeHint')} action={record} />}
      >
        {(aggregate) => (
          <>
            <div className={styles.panels}>
              <CounterPanel aggregate={aggregate} />
              <WriterPanel writers={aggregate.writers} />
            </div>
            <EventTable name={name} search={search} open={show} />
            {event !== undefined && <EventDrawer name={name} version={event} newest={aggregate.version} onGo={show} onClose={() => show(undefined)} />}
          </>
        )}
      </RecordPage>
      {recording && <RecordDialog aggregate={query.data} name={name} onClose={close} onShow={show} />}
    </>
  );
}
