import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay, useUser, type Overview } from '@/api';
import { ofQueue } from '@/features/system/belongs';
import { overview as queues } from '@/features/system/queries';
import { useFormat, useText } from '@/i18n';
import styles from './Dashboard.module.css';
import { dashboardMessages } from './messages';
import { useInbox } from './useInbox';

/** The refresh interval of the queues, in ms. */
const pause = 15_000;

/** The number of pending items of each kind, linked to the filtered lists. */
export function WaitingTiles({ data }: { data: Overview }) {
  const t = useText(dashboardMessages);
  const dead = useDeadLetters();
  const { assigned, unmatched, returns } = useInbox();
  const me = useUser().id;
  const { ordersByStatus, refundsByStatus, workOrdersByStatus, couponsExpiringSoon, approvals, capped = [] } = data;
  if ([ordersByStatus, refundsByStatus, workOrdersByStatus, couponsExpiringSoon, approvals].every((part) => part === undefined)) return null;
  return (
    <section aria-label={t('waiting')}>
      <ul className={styles.tiles}>
        {ordersByStatus !== undefined &&
          (['pending', 'paid', 'shipped'] as const).map((status) => (
            <li key={status}>
              <Link to="/orders" search={{ status }} className={styles.tile}>
                <TileText label={t(status)} number={ordersByStatus[status]} more={capped.includes(`/ordersByStatus/${status}`)} hint={t(`${status}Hint`)} />
              </Link>
            </li>
          ))}
        {refundsByStatus !== undefined && (
          <li>
            <Link to="/refunds" search={{ status: 'requested' }} className={styles.tile}>
              <TileText
                label={t('refunds')}
                number={refundsByStatus.requested}
                more={capped.includes('/refundsByStatus/requested')}
                hint={refundsByStatus.unknown === 0 ? t('refundsHint') : t('refundsInDoubt', { n: refundsByStatus.unknown })}
              />
            </Link>
          </li>
        )}
        {workOrdersByStatus !== undefined && (
          <li>
            <Link to="/work-orders" search={{ status: 'open' }} className={styles.tile}>
              <TileText
                label={t('workOrders')}
                number={workOrdersByStatus.open}
                more={capped.includes('/workOrdersByStatus/open')}
                hint={t('workOrdersHint')}
              />
            </Link>
          </li>
        )}
        {assigned !== undefined && assigned.number > 0 && (
          <li>
            <Link to="/work-orders" search={{ status: 'claimed', holderId: me }} className={styles.tile}>
              <TileText label={t('assigned')} {...assigned} hint={t('assignedHint')} />
            </Link>
          </li>
        )}
        {unmatched !== undefined && unmatched.number > 0 && (
          <li>
            <Link to="/payments" search={{ status: 'unmatched' }} className={styles.tile}>
              <TileText label={t('unmatched')} {...unmatched} hint={t('unmatchedHint')} />
            </Link>
          </li>
        )}
        {returns !== undefined && returns.number > 0 && (
          <li>
            <Link to="/returns" search={{ status: 'requested' }} className={styles.tile}>
              <TileText label={t('returns')} {...returns} hint={t('returnsHint')} />
            </Link>
          </li>
        )}
        {approvals !== undefined && (
          <li>
            <Link to="/approvals" search={{ view: 'toDecide' }} className={styles.tile}>
              <TileText label={t('toDecide')} number={approvals.toDecide} more={capped.includes('/approvals/toDecide')} hint={t('toDecideHint')} />
            </Link>
          </li>
        )}
        {approvals !== undefined && approvals.stale > 0 && (
          <li>
            <Link to="/approvals" search={{ view: 'mineStale' }} className={styles.tile}>
              <TileText label={t('mineStale')} number={approvals.stale} more={capped.includes('/approvals/stale')} hint={t('mineStaleHint')} />
            </Link>
          </li>
        )}
        {approvals !== undefined && approvals.toReview > 0 && (
          <li>
            <Link to="/approvals" search={{ view: 'toReview' }} className={styles.tile}>
              <TileText label={t('toReview')} number={approvals.toReview} more={capped.includes('/approvals/toReview')} hint={t('toReviewHint')} />
            </Link>
          </li>
        )}
        {couponsExpiringSoon !== undefined && (
          <li>
            <Link to="/coupons" search={{ status: 'unused', expiresIn: '7' }} className={styles.tile}>
              <TileText label={t('expiring')} number={couponsExpiringSoon} more={capped.includes('/couponsExpiringSoon')} hint={t('expiringHint')} />
            </Link>
          </li>
        )}
        {dead !== undefined && dead.count > 0 && (
          <li>
            <RecordTile path={dead.path}>
              <TileText label={t('dead')} number={dead.count} hint={t('deadHint')} />
            </RecordTile>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Links to a flash sale if only its queue has dead messages, otherwise to all queues. */
function RecordTile({ path, children }: { path: string | undefined; children: ReactNode }) {
  const [, id] = /^flash-sales\/(\d+)$/.exec(path ?? '') ?? [];
  return id === undefined ? (
    <Link to="/system" className={styles.tile}>
      {children}
    </Link>
  ) : (
    <Link to="/flash-sales/$id" params={{ id }} className={styles.tile}>
      {children}
    </Link>
  );
}

/** The number of dead messages, and the record that they belong to if there is only one. */
function useDeadLetters(): { count: number; path: string | undefined } | undefined {
  const { data } = useQuery({ ...queues(), enabled: useMay()('queues:read'), refetchInterval: pause });
  const dead = data?.queues.filter((queue) => queue.dead > 0) ?? [];
  const [only] = dead.length === 1 ? dead : [];
  return data && { count: dead.reduce((sum, queue) => sum + queue.dead, 0), path: only && ofQueue(only.name) };
}

/** A number; `more` marks it as a lower bound. */
function TileText({ label, number, more = false, hint }: { label: string; number: number; more?: boolean; hint: string }) {
  const format = useFormat();
  return (
    <>
      <span className={styles.label}>{label}</span>
      <span className={styles.number} data-none={number === 0 || undefined}>
        {format.number(number)}
        {more && '+'}
      </span>
      <span className={styles.hint}>{hint}</span>
    </>
  );
}
