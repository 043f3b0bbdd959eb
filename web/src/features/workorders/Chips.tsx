import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { workOrderMessages } from './messages';
import type { WorkOrderPriority, WorkOrderStatus } from './queries';

const toneOf: Record<WorkOrderStatus, Tone> = { open: 'warn', claimed: 'info', resolved: 'ok', closed: 'neutral' };
const urgency: Record<WorkOrderPriority, Tone> = { urgent: 'bad', high: 'warn', normal: 'neutral', low: 'neutral' };

export function WorkOrderStatusChip({ status }: { status: WorkOrderStatus }) {
  const t = useText(workOrderMessages);
  return <StatusChip tone={toneOf[status]}>{t(status)}</StatusChip>;
}

export function PriorityChip({ priority }: { priority: WorkOrderPriority }) {
  const t = useText(workOrderMessages);
  return <StatusChip tone={urgency[priority]}>{t(priority)}</StatusChip>;
}
