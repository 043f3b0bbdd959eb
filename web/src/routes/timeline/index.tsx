import { createFileRoute } from '@tanstack/react-router';
import { TimelinePage } from '@/features/timeline/TimelinePage';
import { oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/timeline/')({
  staticData: { page: { title: { en: 'Timeline', zh: '时间线' }, inSearch: true } },
  validateSearch: tableSearch({ as: oneOf('order', 'user', 'item', 'coupon', 'ticket', 'idempotency-key') }),
  component: Page,
});

function Page() {
  return <TimelinePage search={Route.useSearch()} />;
}
