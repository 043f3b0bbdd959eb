import { createFileRoute } from '@tanstack/react-router';
import { SingleSignOnPage } from '@/features/access/sso/SingleSignOnPage';

export const Route = createFileRoute('/single-sign-on/')({
  staticData: { isOpen: true },
  component: SingleSignOnPage,
});
