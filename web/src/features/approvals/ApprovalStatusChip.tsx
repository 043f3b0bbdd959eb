import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { approvalMessages } from './messages';
import type { ApprovalStatus } from './queries';

const toneOf: Record<ApprovalStatus, Tone> = {
  pending: 'info',
  approved: 'ok',
  rejected: 'bad',
  withdrawn: 'neutral',
  stale: 'warn',
  expired: 'neutral',
  bypassed: 'warn',
  reviewed: 'ok',
  scheduled: 'info',
};

export function ApprovalStatusChip({ status }: { status: ApprovalStatus }) {
  const t = useText(approvalMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}
