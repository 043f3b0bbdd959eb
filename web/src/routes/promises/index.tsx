import { createFileRoute } from '@tanstack/react-router';
import { PromisesPage } from '@/features/promises/PromisesPage';

export const Route = createFileRoute('/promises/')({
  staticData: {
    page: { title: { en: 'Promises', zh: '承诺' }, permission: 'promises:read', navigation: { group: 'inspect', order: 100, icon: 'check', key: 'z' } },
  },
  component: PromisesPage,
});
