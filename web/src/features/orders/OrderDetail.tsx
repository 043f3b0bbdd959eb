import { Button, Group, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useUser } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Avatar, Banner, EtagVersion, Money, PageHeader, ProblemBanner, useNow, usePresence } from '@/ui';
import type { Winner } from './loser';
import { orderMessages } from './messages';
import styles from './OrderDetail.module.css';
import { OrderStatusChip } from './OrderStatusChip';
import { oneOrder, type Order, type OrderAction } from './queries';
import { StepDialog } from './StepDialog';
import { Timeline } from './Timeline';

/** One order: what is to be paid for what, what happened to it, and what can be done now. */
export function OrderDetail({ id }: { id: number }) {
  const t = useText(orderMessages);
  const may = useMay()('orders:write');
  const { data: order, error, refetch } = useQuery(oneOrder(id));
  const others = usePresence(`orders/${id}`);
  const [open, setOpen] = useState<{ order: Order; action: OrderAction }>();
  const [winner, setWinner] = useState<Winner>();
  if (order === undefined) {
    if (error !== null) throw error;
    return <PageHeader title={t('order')} parent={{ to: '/orders', label: t('title') }} />;
  }
  const names = others.map(({ person }) => person.name).join(', ');
  return (
    <>
      <PageHeader
        title={order.orderNo}
        mono
        parent={{ to: '/orders', label: t('title') }}
        chips={
          <>
            <OrderStatusChip status={order.status} />
            <EtagVersion version={order.version} etag={order.etag} />
          </>
        }
      >
        {others.length > 0 && (
          <Group gap={4} role="img" aria-label={t('here', { names })} title={t('here', { names })}>
            {others.map(({ person }) => (
              <Avatar key={person.id} person={person} />
            ))}
          </Group>
        )}
        {may &&
          order.allowedTransitions.map((action, i) => (
            <Button
              key={action}
              variant={i === 0 && action !== 'cancel' ? 'filled' : 'default'}
              onClick={() => {
                setWinner(undefined);
                setOpen({ order, action });
              }}
            >
              {t(action)}
            </Button>
          ))}
      </PageHeader>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {winner !== undefined && (
        <div className={styles.notice}>
          <Lost winner={winner} close={() => setWinner(undefined)} />
        </div>
      )}
      <div className={styles.columns}>
        <div className={styles.main}>
          <Lines order={order} />
          <Facts order={order} />
        </div>
        <Paper component="section" p="lg" aria-labelledby="timeline">
          <Title order={2} id="timeline" mb="md">
            {t('timeline')}
          </Title>
          <Timeline id={id} />
        </Paper>
      </div>
      {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={setWinner} />}
    </>
  );
}

function Lost({ winner, close }: { winner: Winner; close: () => void }) {
  const t = useText(orderMessages);
  const format = useFormat();
  const now = useNow();
  const me = useUser().id;
  const { order, by, time } = winner;
  const title = t('lostTo', {
    status: t(order.status).toLowerCase(),
    who: by.id === me ? t('you') : by.name,
    when: format.relative(time, now),
    amount: format.money(order.amount),
  });
  const actions = format.list(order.allowedTransitions.map((action) => t(action)));
  return (
    <Banner tone="warn" title={title} action={<Button onClick={close}>{t('closeBanner')}</Button>}>
      {actions === '' ? t('lostNothingLeft') : t('lostHint', { actions })}
    </Banner>
  );
}

function Lines({ order }: { order: Order }) {
  const t = useText(orderMessages);
  return (
    <Paper component="section" p="lg" aria-labelledby="lines">
      <Title order={2} id="lines" mb="xs">
        {t('lines')}
      </Title>
      <table className={styles.lines}>
        <thead>
          <tr>
            <th scope="col">{t('sku')}</th>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('quantity')}</th>
            <th scope="col">{t('price')}</th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((line) => (
            <tr key={line.sku}>
              <td className="mono">{line.sku}</td>
              <td>{line.name}</td>
              <td>{line.quantity}</td>
              <td>
                <Money minor={line.price} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {order.discount > 0 && (
            <tr>
              <th scope="row" colSpan={3}>
                {t('discount')}
              </th>
              <td>
                <Money minor={-order.discount} />
              </td>
            </tr>
          )}
          <tr>
            <th scope="row" colSpan={3}>
              {t('amount')}
            </th>
            <td>
              <strong>
                <Money minor={order.amount} />
              </strong>
            </td>
          </tr>
        </tfoot>
      </table>
    </Paper>
  );
}

function Facts({ order }: { order: Order }) {
  const t = useText(orderMessages);
  const { dateTime } = useFormat();
  const { payment, shipment, couponCode, cancelReason } = order;
  // Typed as text: the page of coupons is another domain's.
  const couponPage: string = `/coupons/${encodeURIComponent(couponCode ?? '')}`;
  return (
    <Paper component="section" p="lg" aria-labelledby="facts">
      <Title order={2} id="facts" mb="xs">
        {t('facts')}
      </Title>
      <dl className={styles.facts}>
        <dt>{t('user')}</dt>
        <dd className="tabular">{order.userId}</dd>
        <dt>{t('placed')}</dt>
        <dd>{dateTime(order.createdTime)}</dd>
        <dt>{t('coupon')}</dt>
        <dd>
          {couponCode === null ? (
            t('none')
          ) : (
            <Link to={couponPage} className="mono">
              {couponCode}
            </Link>
          )}
        </dd>
        <dt>{t('payment')}</dt>
        <dd>{payment === null ? t('none') : [t('external'), payment.reference].filter(Boolean).join(' · ')}</dd>
        <dt>{t('shipment')}</dt>
        <dd>{shipment === null ? t('none') : `${shipment.carrier} · ${shipment.trackingNo}`}</dd>
        {cancelReason !== null && (
          <>
            <dt>{t('cancelReason')}</dt>
            <dd>{cancelReason}</dd>
          </>
        )}
      </dl>
    </Paper>
  );
}
