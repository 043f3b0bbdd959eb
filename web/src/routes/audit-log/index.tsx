import { createFileRoute } from '@tanstack/react-router';
import { AuditLog } from '@/features/audit/AuditLog';
import { aDay, aText, anId, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/audit-log/')({
  staticData: {
    page: { title: { en: 'Audit log', zh: '审计日志' }, permission: 'audit:read', navigation: { group: 'govern', order: 50, icon: 'scroll', key: 'l' } },
  },
  validateSearch: tableSearch({ resource: aText, actor: aText, action: aText, from: aDay, to: aDay, open: anId }),
  component: Page,
});

function Page() {
  return <AuditLog search={Route.useSearch()} />;
}
