import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, type Winner } from '@/api';
import { useFormat, useText } from '@/i18n';
import { ActButton, CustomerLink, Facts, History, LostRace, RecordLink, RecordPage, revisionsOf, Section, StatusMove, useSteps, stepKeys } from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import { returnMessages } from './messages';
import { oneReturn, returnHistory, type Return, type ReturnAction, type ReturnEvent } from './queries';
import { RefundDialog } from './RefundDialog';
import { ReturnStatusChip } from './ReturnStatusChip';
import { StepDialog } from './StepDialog';

/** The page of a return: units, refund, history and actions. */
export function ReturnPage({ id }: { id: number }) {
  const t = useText(returnMessages);
  const query = useQuery(oneReturn(id));
  const may = useMay();
  const steps = useSteps<ReturnAction>(`returns/${id}/steps`, query.data?.allowedTransitions ?? []);
  const [open, setOpen] = useState<{ row: Return; action: ReturnAction }>();
  const [refunded, setRefunded] = useState<Return>();
  const [winner, setWinner] = useState<Winner<Return>>();
  return (
    <RecordPage
      query={query}
      name={t('return', { id: String(id) })}
      parent={{ to: '/returns', label: t('title') }}
      resource={`returns/${id}`}
      chips={({ status }) => <ReturnStatusChip status={status} />}
      actions={(row) => (
        <>
          {may('returns:write') &&
            steps.map((action, i) => (
              <ActButton
                key={action}
                hotkey={stepKeys[action]}
                variant={i === 0 ? 'filled' : 'default'}
                onClick={() => {
                  setWinner(undefined);
                  setOpen({ row, action });
                }}
              >
                {t(action)}
              </ActButton>
            ))}
          {may('refunds:write') && row.status !== 'rejected' && row.refundId === null && (
            <ActButton hotkey={stepKeys.refund} onClick={() => setRefunded(row)}>
              {t('refundButton')}
            </ActButton>
          )}
        </>
      )}
    >
      {(row) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={t(winner.current.status)}
              actions={winner.current.allowedTransitions.map((action) => t(action))}
              onClose={() => setWinner(undefined)}
            />
          )}
          <div className={styles.columns}>
            <div className={styles.main}>
              <About row={row} />
              <Lines row={row} />
            </div>
            <Past id={id} />
          </div>
          {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={setWinner} />}
          {refunded !== undefined && <RefundDialog row={refunded} onClose={() => setRefunded(undefined)} />}
        </>
      )}
    </RecordPage>
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

function Past({ id }: { id: number }) {
  const t = useText(returnMessages);
  const query = useInfiniteQuery(returnHistory(id));
  return (
    <History
      title={t('history')}
      query={query}
      aside
      entries={revisionsOf(query).map((event) => ({
        ...event,
        action: t(`did_${event.action}`),
        marks: <StatusMove event={event} name={(status) => t(status)} />,
        details: <Detail detail={event.detail} />,
      }))}
    />
  );
}

function Detail({ detail }: { detail: ReturnEvent['detail'] }) {
  const { reason } = detail as Readonly<Record<string, unknown>>;
  return typeof reason === 'string' ? <div>{reason}</div> : null;
}
