import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, type Winner } from '@/api';
import { OrderPayments } from '@/features/payments/OrderPayments';
import { RecordPayment } from '@/features/payments/RecordPayment';
import { OrderRefunds } from '@/features/refunds/OrderRefunds';
import { RequestRefund } from '@/features/refunds/RequestRefund';
import { useFormat, useText } from '@/i18n';
import { ActButton, LostRace, RecordPage, useSteps, stepKeys } from '@/ui';
import { EditOrder } from './edit/EditOrder';
import { orderMessages } from './messages';
import { stepsOf } from './next';
import styles from './Order.module.css';
import { OrderCustomer, OrderDetails, OrderFacts } from './OrderFacts';
import { OrderLines } from './OrderLines';
import { FulfilmentChip, OrderStatusChip, PaidChip } from './OrderStatusChip';
import { OrderTimeline } from './OrderTimeline';
import { OrderParcels } from './parcels/OrderParcels';
import { ShipDialog } from './parcels/ShipDialog';
import { oneOrder, stepLabels, type Order, type OrderAction } from './queries';
import { OrderReturns } from './returns/OrderReturns';
import { RequestReturn } from './returns/RequestReturn';
import { StepDialog } from './StepDialog';

type Dialog = OrderAction | 'return' | 'refund' | 'edit';

/** The page of an order: the next step, lines, payments, parcels, returns, refunds, customer, details and timeline. */
export function OrderDetail({ id }: { id: number }) {
  const t = useText(orderMessages);
  const { money } = useFormat();
  const may = useMay();
  const query = useQuery(oneOrder(id));
  const possible = useSteps<OrderAction>(`orders/${id}/steps`, query.data === undefined ? [] : stepsOf(query.data));
  const steps = possible.filter((step) => may(step === 'pay' ? 'payments:write' : 'orders:write'));
  const [open, setOpen] = useState<{ order: Order; dialog: Dialog }>();
  const [winner, setWinner] = useState<Winner<Order>>();
  const close = () => setOpen(undefined);
  const start = (order: Order, dialog: Dialog) => {
    setWinner(undefined);
    setOpen({ order, dialog });
  };
  /** Opens a dialog for the displayed version; undefined if the user cannot use it now. */
  const opens = (order: Order, dialog: Dialog, isPossible: boolean) => (isPossible ? () => start(order, dialog) : undefined);
  return (
    <RecordPage
      query={query}
      name={query.data?.orderNo ?? `${t('order')} ${id}`}
      mono
      parent={{ to: '/orders', label: t('title') }}
      resource={`orders/${id}`}
      chips={({ status, paymentStatus, fulfilmentStatus }) => (
        <>
          <OrderStatusChip status={status} />
          <PaidChip status={paymentStatus} />
          <FulfilmentChip status={fulfilmentStatus} />
        </>
      )}
      actions={(order) =>
        steps.map((step, i) => (
          <ActButton key={step} hotkey={stepKeys[step]} variant={i === 0 && step !== 'cancel' ? 'filled' : 'default'} onClick={() => start(order, step)}>
            {t(stepLabels[step])}
          </ActButton>
        ))
      }
    >
      {(order) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={t(winner.current.status)}
              more={money(winner.current.amount)}
              actions={stepsOf(winner.current).map((step) => t(stepLabels[step]))}
              onClose={() => setWinner(undefined)}
            />
          )}
          <div className={styles.page}>
            <div className={styles.main}>
              <OrderLines order={order} />
              <OrderPayments order={order} onPay={opens(order, 'pay', steps.includes('pay'))} />
              <OrderParcels order={order} onShip={opens(order, 'ship', steps.includes('ship'))} />
              {order.fulfilmentStatus !== 'none' && (
                <OrderReturns
                  order={order}
                  onReturn={opens(order, 'return', may('returns:write') && order.items.some(({ shipped, returned }) => shipped > returned))}
                />
              )}
              {order.paid > 0 && <OrderRefunds order={order} onRefund={opens(order, 'refund', may('refunds:write') && order.refundable > 0)} />}
            </div>
            <div className={styles.side}>
              <OrderCustomer order={order} />
              <OrderDetails order={order} onEdit={opens(order, 'edit', may('orders:write'))} />
              <OrderFacts order={order} />
            </div>
            <div className={styles.timeline}>
              <OrderTimeline order={order} />
            </div>
          </div>
          {open !== undefined && <OpenDialog {...open} now={order} onClose={close} onLost={setWinner} />}
        </>
      )}
    </RecordPage>
  );
}

interface DialogProps {
  /** The order when the dialog opened. */
  order: Order;
  /** The displayed version. */
  now: Order;
  dialog: Dialog;
  onClose: () => void;
  onLost: (winner: Winner<Order>) => void;
}

function OpenDialog({ order, now, dialog, onClose, onLost }: DialogProps) {
  switch (dialog) {
    case 'pay':
      return <RecordPayment order={order} onClose={onClose} />;
    case 'ship':
      return <ShipDialog order={order} onClose={onClose} onLost={onLost} />;
    case 'return':
      return <RequestReturn order={order} onClose={onClose} />;
    case 'refund':
      return <RequestRefund order={now} onClose={onClose} />;
    case 'edit':
      return <EditOrder order={now} onClose={onClose} />;
    default:
      return <StepDialog order={order} action={dialog} onClose={onClose} onLost={onLost} />;
  }
}
