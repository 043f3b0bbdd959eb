import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { overview, type Overview } from '@/api';
import { useText } from '@/i18n';
import { Banner, PageHeader, ProblemBanner } from '@/ui';
import { ConflictsToday } from './ConflictsToday';
import styles from './Dashboard.module.css';
import { DataAge } from './DataAge';
import { dashboardMessages } from './messages';
import { RecentChanges } from './RecentChanges';
import { WaitingTiles } from './WaitingTiles';

/** Conflicts are counted a few seconds late and announced by nobody, so that they are asked for, in ms. */
const pause = 15_000;

/** What waits, where people got into each other's way, and who changed what of late. */
export function Dashboard() {
  const t = useText(dashboardMessages);
  const { data, error, dataUpdatedAt, refetch } = useQuery({ ...overview, refetchInterval: pause });
  return (
    <>
      <PageHeader title={t('title')}>{data !== undefined && <DataAge read={dataUpdatedAt} />}</PageHeader>
      <div className={styles.page}>
        {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
        {data !== undefined ? <Parts data={data} /> : error === null && <Loading />}
      </div>
    </>
  );
}

/** Parts that the user may not read are missing. */
function Parts({ data }: { data: Overview }) {
  const t = useText(dashboardMessages);
  const { conflictsToday, conflictsTodayTotal = 0, recentChanges } = data;
  if (Object.keys(data).length === 0) return <Banner tone="info" title={t('mayNotSee')} />;
  return (
    <>
      <WaitingTiles data={data} />
      <div className={styles.columns}>
        {recentChanges !== undefined && <RecentChanges changes={recentChanges} />}
        {conflictsToday !== undefined && <ConflictsToday conflicts={conflictsToday} total={conflictsTodayTotal} />}
      </div>
    </>
  );
}

function Loading() {
  const t = useText(dashboardMessages);
  return (
    <div aria-busy="true" role="status" className={styles.page}>
      <span className="unseen">{t('loading')}</span>
      <Skeleton h={104} />
      <Skeleton h={320} />
    </div>
  );
}
