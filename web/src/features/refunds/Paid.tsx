import type { Order } from '@/features/orders/queries';
import { useText } from '@/i18n';
import { Facts, Money } from '@/ui';
import { refundMessages } from './messages';

/** What was paid for an order, and what refunds have made of it, as the service has it. */
export function Paid({ order: { paid, refundReserved, refunded, refundable } }: { order: Order }) {
  const t = useText(refundMessages);
  return (
    <Facts
      facts={[
        [t('paid'), <Money key="paid" minor={paid} />],
        [t('reserved'), <Money key="reserved" minor={refundReserved} />],
        [t('refunded'), <Money key="refunded" minor={refunded} />],
        [
          t('refundable'),
          <strong key="refundable">
            <Money minor={refundable} />
          </strong>,
        ],
      ]}
    />
  );
}
