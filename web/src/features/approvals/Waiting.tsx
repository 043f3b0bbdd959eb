import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay, votesLeft } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, When } from '@/ui';
import { approvalMessages } from './messages';
import { waitingOf } from './queries';

/** Shows, on the page of a record, the changes that wait for votes or for their time. */
export function Waiting({ resource }: { resource: string }) {
  const t = useText(approvalMessages);
  const { data } = useQuery({ ...waitingOf(resource), enabled: useMay()('approvals:read') });
  const { dateTime } = useFormat();
  return data?.map((approval) => (
    <Banner
      key={approval.id}
      tone="info"
      title={
        approval.status === 'scheduled' && approval.effectiveTime !== null
          ? t('waitsForTime', { who: approval.author.name, time: dateTime(approval.effectiveTime) })
          : t.rich('waits', { who: approval.author.name, when: <When time={approval.createdTime} />, n: votesLeft(approval) })
      }
      action={
        <Link to="/approvals/$id" params={{ id: String(approval.id) }}>
          {t('show')}
        </Link>
      }
    >
      {approval.note === '' ? undefined : <q>{approval.note}</q>}
    </Banner>
  ));
}
