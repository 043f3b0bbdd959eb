import { createFileRoute } from '@tanstack/react-router';
import { CouponList } from '@/features/coupons/CouponList';
import { expiries } from '@/features/coupons/queries';
import { aCustomer, anId, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/coupons/')({
  staticData: {
    page: { title: { en: 'Coupons', zh: '优惠券' }, permission: 'coupons:read', navigation: { group: 'sell', order: 20, icon: 'ticket', key: 'v' } },
  },
  validateSearch: tableSearch({ campaignId: anId, userId: aCustomer, status: oneOf('unused', 'used', 'void', 'expired'), expiresIn: oneOf(...expiries) }),
  component: Page,
});

function Page() {
  return <CouponList search={Route.useSearch()} />;
}
