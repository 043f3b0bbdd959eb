import { useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { saleMessages } from './messages';
import type { SaleStatus } from './queries';

const tones: Readonly<Record<SaleStatus, Tone>> = { draft: 'info', open: 'ok', paused: 'warn', closed: 'neutral' };

/** The status of a sale, with a dot while customers are admitted. */
export function SaleStatusChip({ status }: { status: SaleStatus }) {
  const t = useText(saleMessages);
  return (
    <StatusChip tone={tones[status]} live={status === 'open'}>
      {t(status)}
    </StatusChip>
  );
}
