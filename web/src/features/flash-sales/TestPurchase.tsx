import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { useKeyedAction, useToasts } from '@/ui';
import { saleMessages } from './messages';
import { buyOnce, type Sale } from './queries';

/** Buys one unit of an open sale for a test customer, and shows its ticket. */
export function TestPurchase({ sale: { id, name } }: { sale: Pick<Sale, 'id' | 'name'> }) {
  const t = useText(saleMessages);
  const may = useMay();
  const toasts = useToasts();
  const navigate = useNavigate();
  const action = useKeyedAction<number, Awaited<ReturnType<typeof buyOnce>>>({
    scope: `flash-sales/${id}/test-purchase`,
    title: `${t('testPurchase')} · ${name}`,
    topics: ['flash-sales', 'orders'],
    send: buyOnce,
    onDone: ({ ticket }) => {
      toasts.done(t('testPurchased', { ticket }));
      void navigate({ to: '/flash-sales/$id', params: { id: String(id) }, search: { ticket } });
    },
  });
  if (!may('tokens:write') || !may('customers:impersonate')) return null;
  return (
    <Button loading={action.outcome === 'sending'} disabled={action.outcome === 'unknown'} onClick={() => action.run(id)}>
      {t('testPurchase')}
    </Button>
  );
}
