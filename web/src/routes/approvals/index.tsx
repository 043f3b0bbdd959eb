import { createFileRoute } from '@tanstack/react-router';
import { ApprovalList } from '@/features/approvals/ApprovalList';
import { views } from '@/features/approvals/views';
import { aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/approvals/')({
  staticData: {
    page: {
      title: { en: 'Approvals', zh: '审批' },
      permission: 'approvals:read',
      navigation: { group: 'operate', order: 20, icon: 'check', key: 'a', waiting: ({ approvals }) => approvals && approvals.toDecide + approvals.stale },
    },
  },
  validateSearch: tableSearch({ view: oneOf(...views), resource: aText }),
  component: Page,
});

function Page() {
  return <ApprovalList search={Route.useSearch()} />;
}
