import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { couponMessages } from './messages';
import type { CouponStatus } from './queries';

const tones: Readonly<Record<CouponStatus, Tone>> = { unused: 'info', used: 'ok', void: 'bad', expired: 'neutral' };

export function CouponStatusChip({ status }: { status: CouponStatus }) {
  const t = useText(couponMessages);
  return <StatusChip tone={tones[status]}>{t(status)}</StatusChip>;
}
