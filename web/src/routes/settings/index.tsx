import { createFileRoute } from '@tanstack/react-router';
import { SettingsPage } from '@/features/settings/SettingsPage';

export const Route = createFileRoute('/settings/')({
  staticData: {
    page: { title: { en: 'Settings', zh: '设置' }, permission: 'settings:read', navigation: { group: 'govern', order: 45, icon: 'gear', key: 'x' } },
  },
  component: SettingsPage,
});
