import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { Banner, CopyText, Facts, RecordDrawer, RecordLink, StatusChip } from '@/ui';
import { saleMessages } from './messages';
import { oneTicket, type Ticket } from './queries';

const tones = { queued: 'info', confirmed: 'ok', rejected: 'neutral' } as const;
/** The reasons for rejected tickets. */
const reasons = {
  sold_out: 'reasonSoldOut',
  limit: 'reasonLimit',
  discarded: 'reasonDiscarded',
  lost: 'reasonLost',
  order_cancelled: 'reasonCancelled',
} as const;

export function TicketDrawer({ id, ticket, onClose }: { id: number; ticket: string; onClose: () => void }) {
  const t = useText(saleMessages);
  const why = ({ reason }: Ticket) => (reason === undefined ? undefined : reason in reasons ? t(reasons[reason as keyof typeof reasons]) : reason);
  return (
    <RecordDrawer query={useQuery(oneTicket(id, ticket))} title={t('ticket')} missing={<Banner tone="info" title={t('noTicket')} />} onClose={onClose}>
      {(found) => (
        <Facts
          layout="list"
          facts={[
            [t('ticket'), <CopyText key="ticket" text={found.ticket} label={t('ticket')} />],
            [t('status'), <StatusChip key="status" tone={tones[found.status]} children={t(`ticket_${found.status}`)} />],
            [t('reason'), why(found)],
            [t('units'), found.quantity],
            found.orderId !== undefined && [t('order'), <RecordLink key="order" path={`orders/${found.orderId}`} children={found.orderNo} />],
            [t('timeline'), <Link key="timeline" to="/timeline" search={{ q: found.ticket, as: 'ticket' }} children={t('toTimeline')} />],
          ]}
        />
      )}
    </RecordDrawer>
  );
}
