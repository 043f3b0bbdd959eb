import { Paper } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Facts, Money } from '@/ui';
import { saleMessages } from './messages';
import type { Sale } from './queries';

/** The terms of a sale: item, price, limits and times. */
export function Terms({ sale }: { sale: Sale }) {
  const t = useText(saleMessages);
  const { number, dateTime } = useFormat();
  const mayOrders = useMay()('orders:read');
  const { sku, itemName, price, status, quantity, perUserLimit, startsTime, endsTime, queueCap, rate, replicas } = sale;
  const time = (at: string) => <time dateTime={at}>{dateTime(at)}</time>;
  const item = (
    <>
      <Link to="/items/$sku" params={{ sku }}>
        <span className="mono">{sku}</span>
      </Link>{' '}
      {itemName}
    </>
  );
  return (
    <Paper component="section" px="lg" py="sm" aria-label={t('terms')}>
      <Facts
        layout="line"
        facts={[
          [t('item'), item],
          [t('price'), <Money key="price" minor={price} />],
          // After the opening the strip shows the allotted units.
          status === 'draft' && [t('quantity'), number(quantity)],
          [t('perUserLimit'), t('atMost', { n: perUserLimit })],
          [t('startsTime'), time(startsTime)],
          [t('endsTime'), time(endsTime)],
          [t('queueCap'), queueCap === null ? t('noCap') : t('capTickets', { n: queueCap })],
          [t('rate'), rate === null ? t('unlimited') : t('perSecond', { n: rate })],
          status !== 'draft' &&
            mayOrders && [
              t('orders'),
              <Link key="orders" to="/orders" search={{ flashSaleId: sale.id }}>
                {t('showOrders')}
              </Link>,
            ],
          replicas !== null && [t('replicas'), number(replicas)],
        ]}
      />
    </Paper>
  );
}
