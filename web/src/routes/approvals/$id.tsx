import { createFileRoute } from '@tanstack/react-router';
import { ApprovalPage } from '@/features/approvals/ApprovalPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/approvals/$id')({
  staticData: { page: { title: { en: 'Approval', zh: '审批' }, permission: 'approvals:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <ApprovalPage key={id} id={id} />;
}
