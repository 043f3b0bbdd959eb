import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import type { Tone } from '@/theme';
import { StatusChip } from '@/ui';
import { soldOutIn } from './balance';
import styles from './Cockpit.module.css';
import { peakOf, type Feed } from './feed';
import { saleMessages } from './messages';
import { lastOrderTime, type Sale, type SaleStats } from './queries';
import { reportOf } from './report';

interface TileProps {
  label: string;
  value: ReactNode;
  note: string;
  tone?: Tone;
}

function Tile({ label, value, note, tone }: TileProps) {
  return (
    <Paper component="div" className={styles.tile}>
      <dt>{label}</dt>
      <dd className={styles.figure}>{value}</dd>
      <dd>
        <StatusChip tone={tone}>{note}</StatusChip>
      </dd>
    </Paper>
  );
}

/** The result of a closed sale. */
export function Result({ sale, stats }: { sale: Sale; stats: SaleStats }) {
  const t = useText(saleMessages);
  const { number, money, duration } = useFormat();
  const mayReadOrders = useMay()('orders:read');
  const { data: lastOrder } = useQuery({ ...lastOrderTime(sale.id), enabled: mayReadOrders });
  const { sold, unsold, revenue, soldOutAfter } = reportOf(sale, stats, lastOrder);
  return (
    <dl className={styles.tiles}>
      <Tile label={t('sold')} value={number(sold)} note={t('ofOffered', { percent: shareOf(sold, sold + unsold) })} />
      <Tile label={t('revenue')} value={money(revenue)} note={t('beforeRefunds')} />
      <Tile
        label={t('soldOutAfter')}
        value={unsold > 0 ? t('never') : soldOutAfter === undefined ? '–' : duration(soldOutAfter)}
        note={t('unsold', { n: unsold })}
      />
    </dl>
  );
}

const shareOf = (sold: number, offered: number) => `${offered === 0 ? 0 : Math.floor((100 * sold) / offered)}%`;

/** The key numbers of a sale. */
export function Tiles({ sale, stats, feed }: { sale: Sale; stats: SaleStats; feed: Feed }) {
  const t = useText(saleMessages);
  const { number, duration } = useFormat();
  const pace = (perSecond: number) => number(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond));
  const peak = peakOf(feed, ({ acceptedPerSecond }) => acceptedPerSecond);
  const left = soldOutIn(sale.status, stats);
  return (
    <dl className={styles.tiles}>
      <Tile
        label={t('acceptedPerSecond')}
        value={pace(stats.acceptedPerSecond)}
        note={t('peak', { n: pace(peak) })}
        tone={stats.acceptedPerSecond > 0 ? 'ok' : 'neutral'}
      />
      <Tile
        label={t('queued')}
        value={number(stats.queued)}
        note={stats.queued === 0 ? t('noneWaits') : t('oldest', { age: duration(stats.oldestQueuedSeconds * 1000) })}
      />
      <Tile
        label={t('confirmedPerSecond')}
        value={pace(stats.confirmedPerSecond)}
        note={sale.rate === null ? t('fullSpeed') : t('rateIs', { rate: t('perSecond', { n: sale.rate }) })}
      />
      <Tile label={t('confirmed')} value={number(stats.confirmed)} note={t('ofAllotted', { percent: shareOf(stats.confirmed, stats.allotted) })} />
      <Tile
        label={t('soldOutIn')}
        value={stats.remaining === 0 ? t('soldOutNow') : left === undefined ? t('never') : t('about', { time: duration(left * 1000) })}
        note={t('left', { n: stats.remaining })}
      />
      <Tile label={t('deadTile')} value={number(stats.dead)} note={t(stats.dead > 0 ? 'checkIt' : 'none')} tone={stats.dead > 0 ? 'warn' : 'neutral'} />
    </dl>
  );
}
