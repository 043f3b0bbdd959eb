import { createFileRoute } from '@tanstack/react-router';
import { WebhookList } from '@/features/webhooks/WebhookList';
import { aFlag, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/webhooks/')({
  staticData: {
    page: { title: { en: 'Webhooks', zh: 'Webhook' }, permission: 'webhooks:read', navigation: { group: 'govern', order: 15, icon: 'megaphone', key: 'h' } },
  },
  validateSearch: tableSearch({ create: aFlag }),
  component: Page,
});

function Page() {
  return <WebhookList search={Route.useSearch()} />;
}
