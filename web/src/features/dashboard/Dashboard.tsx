import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { overview, useMay, type Overview } from '@/api';
import { useText } from '@/i18n';
import { Banner, PageHeader, ProblemBanner } from '@/ui';
import { ConflictsToday } from './ConflictsToday';
import styles from './Dashboard.module.css';
import { DataAge } from './DataAge';
import { DueSoon } from './DueSoon';
import { FirstSteps } from './FirstSteps';
import { LiveSales } from './LiveSales';
import { LowStock } from './LowStock';
import { dashboardMessages } from './messages';
import { RecentChanges } from './RecentChanges';
import { Trend } from './Trend';
import { WaitingTiles } from './WaitingTiles';
import { WorkingNow } from './WorkingNow';

/** The refresh interval in ms. The dashboard polls because the service counts conflicts with a delay and sends no event for them. */
const pause = 15_000;

/** The dashboard: pending work, sales, warnings, active users and recent changes. */
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

/** The sections of the dashboard. The data lacks those that the user may not read. */
function Parts({ data }: { data: Overview }) {
  const t = useText(dashboardMessages);
  const may = useMay();
  const { conflictsToday, conflictsTodayTotal = 0, recentChanges, paymentsDueSoon, workingNow } = data;
  if (Object.keys(data).length === 0) return <Banner tone="info" title={t('mayNotSee')} />;
  const isEmpty = isNew(data);
  return (
    <>
      <FirstSteps data={data} isNew={isEmpty} />
      <WaitingTiles data={data} />
      {may('orders:read') && !isEmpty && <Trend />}
      <div className={styles.columns}>
        <div className={styles.column}>
          {may('flash-sales:read') && !isEmpty && <LiveSales />}
          {may('inventory:read') && !isEmpty && <LowStock />}
          {paymentsDueSoon !== undefined && paymentsDueSoon.total > 0 && <DueSoon due={paymentsDueSoon} />}
        </div>
        <div className={styles.column}>
          {recentChanges !== undefined && <RecentChanges changes={recentChanges} />}
          {workingNow !== undefined && <WorkingNow places={workingNow} />}
          {conflictsToday !== undefined && <ConflictsToday conflicts={conflictsToday} total={conflictsTodayTotal} />}
        </div>
      </div>
    </>
  );
}

/** The nouns of actions that set up an installation, before any user works in it. */
const settingUp = new Set(['tenant', 'user', 'role', 'menu', 'token']);

/** Whether the user may read the orders and the recent changes, and these contain only setup. The page then shows the first steps. */
function isNew({ ordersByStatus, recentChanges }: Overview): boolean {
  if (ordersByStatus === undefined || recentChanges === undefined) return false;
  const isUsed = recentChanges.some(({ action }) => !settingUp.has(action.split('.')[0] ?? ''));
  return !isUsed && Object.values(ordersByStatus).every((count) => count === 0);
}

function Loading() {
  const t = useText(dashboardMessages);
  return (
    <div aria-busy="true" role="status" className={styles.page}>
      <span className="unseen">{t('loading')}</span>
      <Skeleton h={150} />
      <Skeleton h={268} />
      <div className={styles.columns}>
        <Skeleton h={360} />
        <Skeleton h={360} />
      </div>
    </div>
  );
}
