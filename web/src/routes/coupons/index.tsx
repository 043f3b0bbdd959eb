import { createFileRoute } from '@tanstack/react-router';
import { CouponList } from '@/features/coupons/CouponList';
import { anInteger, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/coupons/')({
  staticData: {
    page: { title: { en: 'Coupons', zh: '优惠券' }, permission: 'coupons:read', navigation: { group: 'sell', order: 20 } },
  },
  validateSearch: tableSearch({ campaignId: anInteger, userId: aText, status: oneOf('unused', 'used', 'void', 'expired') }),
  component: Page,
});

function Page() {
  return <CouponList search={Route.useSearch()} />;
}
