import { useText } from '@/i18n';
import { StatusChip, useNow, When } from '@/ui';
import { isOverdue } from './holding';
import { workOrderMessages } from './messages';
import type { WorkOrder } from './queries';

/** The due time of a work order, highlighted once it has passed. */
export function Due({ order }: { order: WorkOrder }) {
  const t = useText(workOrderMessages);
  const now = useNow();
  if (order.dueTime === null) return null;
  return (
    <>
      <When time={order.dueTime} /> {isOverdue(order, now) && <StatusChip tone="bad">{t('overdue')}</StatusChip>}
    </>
  );
}
