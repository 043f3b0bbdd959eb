import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { useConfirm, useToasts } from '@/ui';
import { EditSale } from './EditSale';
import { saleMessages } from './messages';
import { deleteSale, type Sale, type SaleAction, type SaleStats } from './queries';
import { ResizeSale } from './ResizeSale';
import { StepDialog } from './StepDialog';
import type { Winner } from './winner';

interface Props {
  sale: Sale;
  stats: SaleStats | undefined;
  /** A step is about to be taken, so what was said of the last one is over. */
  onStart: () => void;
  onLost: (winner: Winner) => void;
}

/** What can be done with a sale now: its terms, its quantity, and the steps that the service allows. */
export function SaleActions({ sale, stats, onStart, onLost }: Props) {
  const t = useText(saleMessages);
  const [editing, setEditing] = useState(false);
  const [resizing, setResizing] = useState<Sale>();
  const [step, setStep] = useState<{ sale: Sale; action: SaleAction }>();
  const { remove, isPending } = useRemove(sale);
  if (!useMay()('flash-sales:write')) return null;
  const isDraft = sale.status === 'draft';
  const rate = sale.rate === null ? t('rateFree') : t('rateButton', { rate: t('perSecond', { n: sale.rate }) });
  return (
    <>
      {sale.status !== 'closed' && (
        <>
          <Button onClick={() => setEditing(true)}>{isDraft ? t('edit') : rate}</Button>
          <Button onClick={() => setResizing(sale)}>{t('resize')}</Button>
        </>
      )}
      {sale.allowedTransitions.map((action) => (
        <Button
          key={action}
          variant={action === 'open' || action === 'resume' ? 'filled' : 'default'}
          onClick={() => {
            onStart();
            setStep({ sale, action });
          }}
        >
          {t(`${action}Action`)}
        </Button>
      ))}
      {isDraft && (
        <Button color="bad" variant="light" loading={isPending} onClick={() => void remove()}>
          {t('remove')}
        </Button>
      )}
      {editing && <EditSale sale={sale} onClose={() => setEditing(false)} />}
      {resizing !== undefined && <ResizeSale sale={resizing} stats={stats} onClose={() => setResizing(undefined)} />}
      {step !== undefined && <StepDialog {...step} onClose={() => setStep(undefined)} onLost={onLost} />}
    </>
  );
}

/** Deletes a draft as it is shown, after asking. */
function useRemove({ id, name, etag }: Sale): { remove: () => Promise<void>; isPending: boolean } {
  const t = useText(saleMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: () => deleteSale(id, etag),
    onSuccess: async () => {
      toasts.done(t('removed', { name }));
      await navigate({ to: '/flash-sales' });
      queries.removeQueries({ queryKey: ['flash-sales', 'one', id] });
      await queries.invalidateQueries({ queryKey: ['flash-sales', 'list'] });
    },
    onError: async (error) => {
      const conflict = versionConflict<Sale>(error);
      if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('changedHint'));
      await queries.invalidateQueries({ queryKey: ['flash-sales'] });
    },
  });
  return {
    isPending: mutation.isPending,
    remove: async () => {
      if ((await ask({ title: t('removeAsk', { name }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' })) !== undefined) mutation.mutate();
    },
  };
}
