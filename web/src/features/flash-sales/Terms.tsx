import { Paper } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { Money } from '@/ui';
import styles from './Cockpit.module.css';
import { saleMessages } from './messages';
import type { Sale } from './queries';

/** What a sale sells, for how much, to whom and when. */
export function Terms({ sale }: { sale: Sale }) {
  const t = useText(saleMessages);
  const { number, dateTime } = useFormat();
  const time = (at: string) => <time dateTime={at}>{dateTime(at)}</time>;
  return (
    <Paper component="section" aria-label={t('terms')}>
      <dl className={styles.terms}>
        <Term label={t('item')}>
          <Link to="/items/$sku" params={{ sku: sale.sku }}>
            <span className="mono">{sale.sku}</span>
          </Link>{' '}
          {sale.itemName}
        </Term>
        <Term label={t('price')}>
          <Money minor={sale.price} />
        </Term>
        {/* Once it was opened the strip shows what is allotted. */}
        {sale.status === 'draft' && <Term label={t('quantity')}>{number(sale.quantity)}</Term>}
        <Term label={t('perUserLimit')}>{t('atMost', { n: sale.perUserLimit })}</Term>
        <Term label={t('startsTime')}>{time(sale.startsTime)}</Term>
        <Term label={t('endsTime')}>{time(sale.endsTime)}</Term>
        <Term label={t('queueCap')}>{sale.queueCap === null ? t('noCap') : t('capTickets', { n: sale.queueCap })}</Term>
        <Term label={t('rate')}>{sale.rate === null ? t('unlimited') : t('perSecond', { n: sale.rate })}</Term>
      </dl>
    </Paper>
  );
}

function Term({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
