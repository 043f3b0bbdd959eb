import { createFileRoute } from '@tanstack/react-router';
import { priorities, statuses } from '@/features/workorders/statuses';
import { WorkOrderList } from '@/features/workorders/WorkOrderList';
import { aDay, anId, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/work-orders/')({
  staticData: {
    page: {
      title: { en: 'Work orders', zh: '工单' },
      permission: 'work-orders:read',
      navigation: { group: 'operate', order: 14, icon: 'wrench', key: 'w', waiting: ({ workOrdersByStatus }) => workOrdersByStatus?.open },
    },
  },
  validateSearch: tableSearch({ status: oneOf(...statuses), priority: oneOf(...priorities), holderId: anId, link: aText, due: aDay }),
  component: Page,
});

function Page() {
  return <WorkOrderList search={Route.useSearch()} />;
}
