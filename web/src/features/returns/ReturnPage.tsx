import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { EventDetail } from '@/features/order-records/EventDetail';
import { OrderRecordPage } from '@/features/order-records/OrderRecordPage';
import { useFormat, useText } from '@/i18n';
import { ActButton, CustomerLink, Facts, RecordLink, Section, stepKeys } from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import { Comments } from './Comments';
import { returnMessages } from './messages';
import { oneReturn, returnHistory, type Return, type ReturnAction, type ReturnEvent, type ReturnStatus } from './queries';
import { RefundDialog } from './RefundDialog';
import { ReturnStatusChip } from './ReturnStatusChip';
import { StepDialog } from './StepDialog';

/** The page of a return: units, refund, history and actions. */
export function ReturnPage({ id }: { id: number }) {
  const t = useText(returnMessages);
  const mayRefund = useMay()('refunds:write');
  const [refunded, setRefunded] = useState<Return>();
  return (
    <OrderRecordPage<Return, ReturnAction, ReturnStatus, ReturnEvent>
      id={id}
      folder="returns"
      query={useQuery(oneReturn(id))}
      past={useInfiniteQuery(returnHistory(id))}
      name={t('return', { id: String(id) })}
      list={t('title')}
      chip={({ status }) => <ReturnStatusChip status={status} />}
      labels={{ status: t, action: t }}
      permission={() => 'returns:write'}
      actions={(row) =>
        mayRefund &&
        row.status !== 'rejected' &&
        row.refundId === null && (
          <ActButton hotkey={stepKeys.refund} onClick={() => setRefunded(row)}>
            {t('refundButton')}
          </ActButton>
        )
      }
      dialog={(step) => <StepDialog {...step} />}
      event={({ action, detail }) => ({ action: t(`did_${action}`), details: <EventDetail detail={detail} /> })}
    >
      {(row) => (
        <>
          <About row={row} />
          <Lines row={row} />
          <Comments id={id} />
          {refunded !== undefined && <RefundDialog row={refunded} onClose={() => setRefunded(undefined)} />}
        </>
      )}
    </OrderRecordPage>
  );
}

function About({ row }: { row: Return }) {
  const t = useText(returnMessages);
  const { dateTime } = useFormat();
  const { orderId, orderNo, userId, reason, createdTime, statusReason, refundId, exchangeOrderId } = row;
  return (
    <Section title={t('facts')}>
      <Facts
        facts={[
          [
            t('order'),
            <span key="order" className="mono">
              <RecordLink path={`orders/${orderId}`}>{orderNo}</RecordLink>
            </span>,
          ],
          [t('user'), <CustomerLink key="user" userId={userId} />],
          [t('reason'), reason],
          [t('asked'), dateTime(createdTime)],
          statusReason !== null && [t('statusReason'), statusReason],
          [t('refund'), refundId === null ? t('none') : <RecordLink key="refund" path={`refunds/${refundId}`} />],
          exchangeOrderId !== null && [t('exchange'), <RecordLink key="exchange" path={`orders/${exchangeOrderId}`} />],
        ]}
      />
    </Section>
  );
}

function Lines({ row: { lines } }: { row: Return }) {
  const t = useText(returnMessages);
  return (
    <Section title={t('lines')}>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('sku')}</th>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('quantity')}</th>
            <th scope="col">{t('received_units')}</th>
            <th scope="col">{t('restocked')}</th>
            <th scope="col">{t('writtenOff')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ lineId, sku, name, quantity, received, restocked }) => (
            <tr key={lineId}>
              <td className="mono">
                <RecordLink path={`items/${sku}`}>{sku}</RecordLink>
              </td>
              <td>{name}</td>
              <td>{quantity}</td>
              <td>{received}</td>
              <td>{restocked}</td>
              <td>{received - restocked}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
