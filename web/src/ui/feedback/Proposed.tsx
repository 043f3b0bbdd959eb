import { votesLeft, type Approval } from '@/api';
import { useText } from '@/i18n';
import { uiMessages } from '../messages';
import { RecordLink } from '../RecordLink';
import { Banner } from './Banner';

/** Says that what was asked for waits for the votes of others, and leads to it. */
export function Proposed({ approval }: { approval: Approval }) {
  const t = useText(uiMessages);
  return (
    <Banner
      tone="info"
      title={t('proposed', { n: votesLeft(approval) })}
      action={<RecordLink path={`approvals/${approval.id}`}>{t('showApproval')}</RecordLink>}
    >
      {t('proposedHint')}
    </Banner>
  );
}
