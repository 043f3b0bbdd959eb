import { Button, Loader, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isProblem, useMay } from '@/api';
import { useText } from '@/i18n';
import { CopyButton, EtagVersion, Icon, PageHeader, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Empty } from '@/ui/table';
import { CounterPanel } from './CounterPanel';
import { EventDrawer } from './EventDrawer';
import { EventTable } from './EventTable';
import styles from './Ledger.module.css';
import { ledgerMessages } from './messages';
import { oneAggregate, pathOf, type AggregateName, type EventSearch } from './queries';
import { RecordDialog } from './RecordDialog';
import { WriterPanel } from './WriterPanel';

interface Props {
  name: AggregateName;
  /** Which events are shown, and which of them is open. */
  search: EventSearch & { event?: number };
}

/** One aggregate: what its events add up to, who writes them, and every one of them. */
export function AggregatePage({ name, search }: Props) {
  const t = useText(ledgerMessages);
  const ui = useText(uiMessages);
  const navigate = useNavigate();
  const { data: aggregate, error, refetch } = useQuery(oneAggregate(name));
  const may = useMay();
  const [recording, { open, close }] = useDisclosure();
  const { event, ...filters } = search;
  const path = pathOf(name);
  const unmade = isProblem(error, 'not_found');
  const record = may('ledger:write') && (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={open}>
      {t('record')}
    </Button>
  );
  // The list stays on its page behind the drawer.
  const show = (version: number | undefined) =>
    void navigate({ to: '/aggregates/$type/$id', params: { ...name }, search: { ...search, event: version }, state: true, resetScroll: false });
  return (
    <>
      <PageHeader
        title={path}
        mono
        parent={{ to: '/aggregates', label: t('title') }}
        chips={
          <>
            <CopyButton text={path} label={t('copyName')} />
            {aggregate !== undefined && <EtagVersion version={aggregate.version} etag={aggregate.etag} />}
          </>
        }
      >
        {may('audit:read') && aggregate !== undefined && (
          <Link to="/audit-log" search={{ resource: `aggregates/${path}` }}>
            {t('audit')}
          </Link>
        )}
        {aggregate !== undefined && record}
      </PageHeader>
      {unmade && <Empty title={t('unmade', { name: path })} hint={t('unmadeHint')} action={record} />}
      {error !== null && !unmade && <ProblemBanner error={error} retry={() => void refetch()} />}
      {aggregate === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {aggregate !== undefined && (
        <Stack gap="md">
          <div className={styles.panels}>
            <CounterPanel aggregate={aggregate} />
            <WriterPanel writers={aggregate.writers} />
          </div>
          <EventTable name={name} search={filters} open={show} />
        </Stack>
      )}
      {recording && <RecordDialog aggregate={aggregate} name={name} onClose={close} onShow={show} />}
      {event !== undefined && aggregate !== undefined && (
        <EventDrawer name={name} version={event} newest={aggregate.version} onGo={show} onClose={() => show(undefined)} />
      )}
    </>
  );
}
