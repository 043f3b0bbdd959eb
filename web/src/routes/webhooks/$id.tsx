import { createFileRoute } from '@tanstack/react-router';
import { WebhookPage } from '@/features/webhooks/WebhookPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/webhooks/$id')({
  staticData: { page: { title: { en: 'Webhook', zh: 'Webhook' }, permission: 'webhooks:read' } },
  validateSearch: tableSearch({}),
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  const search = Route.useSearch();
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <WebhookPage key={id} id={id} search={search} />;
}
