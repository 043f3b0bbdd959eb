import { createFileRoute } from '@tanstack/react-router';
import { SystemPage } from '@/features/system/SystemPage';

export const Route = createFileRoute('/system/')({
  staticData: {
    page: { title: { en: 'System', zh: '系统' }, permission: 'queues:read', navigation: { group: 'inspect', order: 90, icon: 'pulse', key: 'y' } },
  },
  component: SystemPage,
});
