import { createFileRoute } from '@tanstack/react-router';
import { CampaignPage } from '@/features/campaigns/CampaignPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { anId, isUnreadable } from '@/ui/table';

export const Route = createFileRoute('/coupon-campaigns/$id')({
  staticData: { page: { title: { en: 'Coupon campaign', zh: '优惠券活动' }, permission: 'coupons:read' } },
  component: Page,
});

function Page() {
  const id = anId(Route.useParams().id);
  return id === undefined || isUnreadable(id) ? <NotFoundPage /> : <CampaignPage key={id} id={id} />;
}
