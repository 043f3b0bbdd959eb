import type { Order } from '@/features/orders/queries';
import { useText } from '@/i18n';
import { Facts, Money } from '@/ui';
import { refundMessages } from './messages';

/** The paid, reserved, refunded and refundable amounts of an order, as the service reports them. */
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
