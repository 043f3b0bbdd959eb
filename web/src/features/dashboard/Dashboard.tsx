import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { dashboardMessages } from './messages';
import { RecentChanges } from './RecentChanges';

/** What happened of late. */
export function Dashboard() {
  const t = useText(dashboardMessages);
  return (
    <>
      <PageHeader title={t('title')} />
      <RecentChanges />
    </>
  );
}
