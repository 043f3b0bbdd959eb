import { createFileRoute } from '@tanstack/react-router';
import { MenuTree } from '@/features/access/menus/MenuTree';

export const Route = createFileRoute('/menus/')({
  staticData: {
    page: { title: { en: 'Menus', zh: '菜单' }, permission: 'menus:read', navigation: { group: 'govern', order: 35, icon: 'menu', key: 'n' } },
  },
  component: MenuTree,
});
