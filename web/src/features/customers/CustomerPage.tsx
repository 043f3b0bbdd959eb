import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMay } from '@/api';
import { CouponStatusChip } from '@/features/coupons/CouponStatusChip';
import { readCoupons } from '@/features/coupons/queries';
import { OrderStatusChip } from '@/features/orders/OrderStatusChip';
import { PlaceOrder } from '@/features/orders/place/PlaceOrder';
import { readOrders, type Order } from '@/features/orders/queries';
import { Chained } from '@/features/timeline/Chained';
import { EntryDialog } from '@/features/wallets/EntryDialog';
import { oneWallet } from '@/features/wallets/queries';
import { TransferDialog } from '@/features/wallets/TransferDialog';
import { useFormat, useText } from '@/i18n';
import { ActButton, Banner, Money, PageHeader, ProblemBanner, Section, When } from '@/ui';
import { useWindowTitle } from '@/ui/title';
import styles from './CustomerPage.module.css';
import { customerMessages } from './messages';

/** The number of latest rows displayed per section. */
const shown = 10;

/** The page of a customer: wallet, orders, coupons, timeline and actions. */
export function CustomerPage({ userId }: { userId: string }) {
  const t = useText(customerMessages);
  const may = useMay();
  const [seesOrders, seesWallet, seesCoupons] = [may('orders:read'), may('wallets:read'), may('coupons:read')];
  const orders = useQuery({
    queryKey: ['orders', 'list', 'customer', userId],
    queryFn: ({ signal }) => readOrders({ userId, limit: shown, sort: '-id' }, signal),
    enabled: seesOrders,
  });
  const title = t('title', { user: userId });
  useWindowTitle([title]);
  if (!seesOrders && !seesWallet && !seesCoupons) return <Banner tone="info" title={t('mayNotSee')} />;
  return (
    <>
      <PageHeader title={userId} mono parent={{ to: '/customers', label: t('customers') }}>
        <Actions userId={userId} />
      </PageHeader>
      <div className={styles.columns}>
        <div className={styles.stack}>
          {seesWallet && <Wallet userId={userId} />}
          {seesOrders && <Orders userId={userId} query={orders} />}
          {seesCoupons && <Coupons userId={userId} />}
          {seesOrders && <Tickets orders={orders.data?.items ?? []} />}
        </div>
        <Section
          title={t('timeline')}
          hint={t('timelineHint')}
          aside
          action={
            may('audit:read') && (
              <Link to="/audit-log" search={{ actor: userId }}>
                {t('audit')}
              </Link>
            )
          }
        >
          <Chained subject={{ kind: 'user', id: userId }} />
        </Section>
      </div>
    </>
  );
}

/** The actions for a customer. */
function Actions({ userId }: { userId: string }) {
  const t = useText(customerMessages);
  const may = useMay();
  const [dialog, setDialog] = useState<'order' | 'entry' | 'transfer'>();
  const mayPay = may('wallets:read') && may('wallets:write');
  const wallet = useQuery({ ...oneWallet(userId), enabled: mayPay }).data;
  const close = () => setDialog(undefined);
  return (
    <>
      {may('orders:write') && (
        <ActButton variant="filled" onClick={() => setDialog('order')}>
          {t('order')}
        </ActButton>
      )}
      {mayPay && <ActButton onClick={() => setDialog('entry')}>{t('enter')}</ActButton>}
      {mayPay && <ActButton onClick={() => setDialog('transfer')}>{t('transfer')}</ActButton>}
      {dialog === 'order' && <PlaceOrder userId={userId} onClose={close} />}
      {dialog === 'entry' && wallet !== undefined && <EntryDialog wallet={wallet} onClose={close} />}
      {dialog === 'transfer' && <TransferDialog from={userId} onClose={close} />}
    </>
  );
}

function Wallet({ userId }: { userId: string }) {
  const t = useText(customerMessages);
  const { data: wallet, error, refetch } = useQuery(oneWallet(userId));
  return (
    <Section
      title={t('wallet')}
      action={
        <Link to="/wallets/$userId" params={{ userId }}>
          {t('toWallet')}
        </Link>
      }
    >
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {wallet !== undefined && (
        <div className={styles.balance}>
          <Money minor={wallet.balance} />
        </div>
      )}
      {wallet?.version === 0 && <span className={styles.dimmed}>{t('untouched')}</span>}
    </Section>
  );
}

interface PartProps<Row> {
  title: string;
  query: { data: { items: Row[]; total: number } | undefined; error: Error | null; refetch: () => unknown };
  none: string;
  action: (total: number) => ReactNode;
  row: (row: Row) => ReactNode;
}

/** A section with the latest rows of one kind, and a link to all. */
function Part<Row>({ title, query: { data, error, refetch }, none, action, row }: PartProps<Row>) {
  return (
    <Section title={title} action={data !== undefined && data.total > data.items.length && action(data.total)}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <span className={styles.dimmed}>{none}</span>}
      <ul className={styles.list} aria-busy={data === undefined && error === null}>
        {data?.items.map(row)}
      </ul>
    </Section>
  );
}

function Orders({ userId, query }: { userId: string; query: PartProps<Order>['query'] }) {
  const t = useText(customerMessages);
  return (
    <Part
      title={t('orders')}
      query={query}
      none={t('noOrders')}
      action={(n) => (
        <Link to="/orders" search={{ userId }}>
          {t('allOrders', { n })}
        </Link>
      )}
      row={({ id, orderNo, status, amount, createdTime }) => (
        <li key={id} className={styles.row}>
          <span className={styles.what}>
            <Link to="/orders/$id" params={{ id: String(id) }}>
              <span className="mono">{orderNo}</span>
            </Link>
          </span>
          <OrderStatusChip status={status} />
          <Money minor={amount} />
          <span className={styles.dimmed}>
            <When time={createdTime} />
          </span>
        </li>
      )}
    />
  );
}

function Coupons({ userId }: { userId: string }) {
  const t = useText(customerMessages);
  const { date } = useFormat();
  const query = useQuery({
    queryKey: ['coupons', 'list', 'customer', userId],
    queryFn: ({ signal }) => readCoupons({ userId, limit: shown }, signal),
  });
  return (
    <Part
      title={t('coupons')}
      query={query}
      none={t('noCoupons')}
      action={(n) => (
        <Link to="/coupons" search={{ userId }}>
          {t('allCoupons', { n })}
        </Link>
      )}
      row={({ code, status, validTo }) => (
        <li key={code} className={styles.row}>
          <span className={styles.what}>
            <Link to="/coupons/$code" params={{ code }}>
              <span className="mono">{code}</span>
            </Link>
          </span>
          <CouponStatusChip status={status} />
          <span className={styles.dimmed}>{t('until', { date: date(validTo) })}</span>
        </li>
      )}
    />
  );
}

function Tickets({ orders }: { orders: readonly Order[] }) {
  const t = useText(customerMessages);
  const bought = orders.flatMap(({ ticket, flashSaleId }) => (ticket === null || flashSaleId === null ? [] : [{ ticket, sale: String(flashSaleId) }]));
  return (
    <Section title={t('tickets')} hint={bought.length > 0 ? t('ticketsHint') : undefined}>
      {bought.length === 0 && <span className={styles.dimmed}>{t('noTickets')}</span>}
      <ul className={styles.list}>
        {bought.map(({ ticket, sale }) => (
          <li key={ticket} className={styles.row}>
            <span className={styles.what}>
              <Link to="/flash-sales/$id" params={{ id: sale }} search={{ ticket }}>
                <span className="mono">{ticket}</span>
              </Link>
            </span>
            <span className={styles.dimmed}>{t('sale', { id: sale })}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
