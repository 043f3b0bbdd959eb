import { votesLeft, type Approval } from '@/api';
import { useFormat, useText } from '@/i18n';
import { uiMessages } from '../messages';
import { RecordLink } from '../RecordLink';
import { Banner } from './Banner';

/** Shows that the change waits for approval, and links to the approval. */
export function Proposed({ approval }: { approval: Approval }) {
  const t = useText(uiMessages);
  const { dateTime } = useFormat();
  const { status, effectiveTime } = approval;
  const when = status === 'scheduled' ? effectiveTime : null;
  return (
    <Banner
      tone="info"
      title={when === null ? t('proposed', { n: votesLeft(approval) }) : t('scheduledFor', { when: dateTime(when) })}
      action={<RecordLink path={`approvals/${approval.id}`}>{t('showApproval')}</RecordLink>}
    >
      {t(when === null ? 'proposedHint' : 'scheduledHint')}
    </Banner>
  );
}
