import { createFileRoute } from '@tanstack/react-router';
import { InvitationPage } from '@/features/access/invitation/InvitationPage';

export const Route = createFileRoute('/invitation/')({
  staticData: { isOpen: true },
  component: InvitationPage,
});
