import { createFileRoute } from '@tanstack/react-router';
import { CouponPage } from '@/features/coupons/CouponPage';

export const Route = createFileRoute('/coupons/$code')({
  staticData: { page: { title: { en: 'Coupon', zh: '优惠券' }, permission: 'coupons:read' } },
  component: Page,
});

function Page() {
  const { code } = Route.useParams();
  return <CouponPage key={code} code={code} />;
}
