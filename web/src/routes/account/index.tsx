import { createFileRoute } from '@tanstack/react-router';
import { AccountPage } from '@/features/access/account/AccountPage';

export const Route = createFileRoute('/account/')({
  staticData: { page: { title: { en: 'My account', zh: '我的账户' }, inSearch: true } },
  component: AccountPage,
});
