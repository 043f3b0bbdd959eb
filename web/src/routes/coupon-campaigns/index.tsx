import { createFileRoute } from '@tanstack/react-router';
import { CampaignList } from '@/features/campaigns/CampaignList';
import { tableSearch } from '@/ui/table';

export const Route = createFileRoute('/coupon-campaigns/')({
  staticData: {
    page: {
      title: { en: 'Coupon campaigns', zh: '优惠券活动' },
      permission: 'coupons:read',
      navigation: { group: 'sell', order: 25, icon: 'megaphone', key: 'm' },
    },
  },
  validateSearch: tableSearch({}),
  component: Page,
});

function Page() {
  return <CampaignList search={Route.useSearch()} />;
}
