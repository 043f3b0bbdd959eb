import { createFileRoute } from '@tanstack/react-router';
import { Dashboard } from '@/features/dashboard/Dashboard';

export const Route = createFileRoute('/')({
  staticData: { page: { title: { en: 'Dashboard', zh: '仪表盘' }, navigation: { group: 'operate', order: 0, icon: 'home', key: 'd' } } },
  component: Dashboard,
});
