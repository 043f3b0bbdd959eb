import { createFileRoute } from '@tanstack/react-router';
import { WorkOrderPage } from '@/features/workorders/WorkOrderPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/work-orders/$id')({
  staticData: { page: { title: { en: 'Work order', zh: '工单' }, permission: 'work-orders:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <WorkOrderPage key={id} id={id} />;
}
