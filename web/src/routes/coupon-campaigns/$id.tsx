import { createFileRoute } from '@tanstack/react-router';
import { CampaignPage } from '@/features/campaigns/CampaignPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';

export const Route = createFileRoute('/coupon-campaigns/$id')({
  staticData: { page: { title: { en: 'Coupon campaign', zh: '优惠券活动' }, permission: 'coupons:read' } },
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return /^[1-9]\d{0,14}$/.test(id) ? <CampaignPage key={id} id={Number(id)} /> : <NotFoundPage />;
}
