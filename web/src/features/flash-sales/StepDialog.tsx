import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay, winnerOf, type Winner } from '@/api';
import { oneStock } from '@/features/inventory/queries';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useToasts } from '@/ui';
import { saleMessages } from './messages';
import { oneSale, takeStep, type Sale, type SaleAction } from './queries';

interface Props {
  sale: Sale;
  action: SaleAction;
  onClose: () => void;
  /** Called if another user was first; `seen` is the sale when the dialog opened. */
  onLost: (winner: Winner<Sale>, seen: Sale) => void;
}

/** Explains a step and performs it. The page shows the new status only after the service has confirmed it. */
export function StepDialog({ sale, action, onClose, onLost }: Props) {
  const t = useText(saleMessages);
  const { dateTime } = useFormat();
  const queries = useQueryClient();
  const toasts = useToasts();
  const { id, name } = sale;
  const title = t(`${action}Title`, { name });
  const settle = (now: Sale) => {
    queries.setQueryData(oneSale(id).queryKey, now);
    onClose();
  };
  const keyed = useKeyedForm<{ etag?: string }, Sale>({
    scope: `flash-sales/${id}/steps/${action}`,
    title,
    topics: ['flash-sales'],
    open: () => ({}),
    // The version when the dialog opened.
    seal: () => ({ etag: sale.etag }),
    send: ({ etag }, key) => takeStep(id, etag ?? '', action, key),
    onDone: (now) => {
      toasts.done(t('stepped', { name: now.name, status: t(now.status) }));
      settle(now);
    },
    onRejected: (error) => {
      const winner = winnerOf<Sale>(error);
      if (winner === undefined) return;
      settle(winner.current);
      onLost(winner, sale);
    },
  });
  const body =
    action === 'open'
      ? t('openBody', { quantity: sale.quantity, sku: sale.sku, from: dateTime(sale.startsTime), until: dateTime(sale.endsTime) })
      : t(`${action}Body`);
  return (
    <FormDialog form={keyed} title={title} size="md" confirm={t(`${action}Confirm`)} color={action === 'close' ? 'bad' : 'accent'} onClose={onClose}>
      <Text>{body}</Text>
      {action === 'open' && <StockCheck sale={sale} />}
    </FormDialog>
  );
}

/** The stock of the item before and after the opening. */
function StockCheck({ sale: { sku, quantity } }: { sale: Sale }) {
  const t = useText(saleMessages);
  const { number } = useFormat();
  const { data: stock } = useQuery({ ...oneStock(sku), enabled: useMay()('inventory:read') });
  if (stock === undefined) return null;
  const { available } = stock;
  if (available >= quantity) return <Text role="status">{t('stockAfter', { available: number(available), left: number(available - quantity) })}</Text>;
  return (
    <Banner
      tone="warn"
      title={t('stockShort', { available: number(available), missing: quantity - available })}
      action={
        <Link to="/items/$sku" params={{ sku }}>
          {t('toStock')}
        </Link>
      }
    />
  );
}
