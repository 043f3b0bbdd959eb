import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, versionConflict, type Winner } from '@/api';
import { useText } from '@/i18n';
import { ActButton, useConfirm, useKeyedAction, useSteps, useToasts, stepKeys } from '@/ui';
import { EditSale } from './EditSale';
import { readFields, termsOf } from './fields';
import { saleMessages } from './messages';
import { createSale, deleteSale, oneSale, type Sale, type SaleAction, type SaleStats, type SaleTerms } from './queries';
import { ResizeSale } from './ResizeSale';
import { StepDialog } from './StepDialog';
import { TestPurchase } from './TestPurchase';

interface Props {
  sale: Sale;
  stats: SaleStats | undefined;
  /** Called before a step, so that the message about the previous one disappears. */
  onStart: () => void;
  onLost: (winner: Winner<Sale>, seen: Sale) => void;
}

/** The actions for a sale: terms, quantity, and the allowed transitions. */
export function SaleActions({ sale, stats, onStart, onLost }: Props) {
  const t = useText(saleMessages);
  const [dialog, setDialog] = useState<'edit' | 'resize'>();
  // The sale when the dialog opened. The step is guarded by its version.
  const [step, setStep] = useState<{ sale: Sale; action: SaleAction }>();
  const steps = useSteps<SaleAction>(`flash-sales/${sale.id}/steps`, sale.allowedTransitions);
  const { remove, isSending, isUnknown } = useRemove(sale);
  if (!useMay()('flash-sales:write')) return null;
  const isDraft = sale.status === 'draft';
  const rate = sale.rate === null ? t('rateFree') : t('rateButton', { rate: t('perSecond', { n: sale.rate }) });
  const close = () => setDialog(undefined);
  return (
    <>
      {sale.status !== 'closed' && (
        <>
          <ActButton hotkey={stepKeys.edit} onClick={() => setDialog('edit')}>
            {isDraft ? t('edit') : rate}
          </ActButton>
          <ActButton onClick={() => setDialog('resize')}>{t('resize')}</ActButton>
        </>
      )}
      {steps.map((action) => (
        <ActButton
          key={action}
          hotkey={stepKeys[action]}
          variant={action === 'open' || action === 'resume' ? 'filled' : 'default'}
          onClick={() => {
            onStart();
            setStep({ sale, action });
          }}
        >
          {t(`${action}Action`)}
        </ActButton>
      ))}
      {isDraft && (
        <ActButton color="bad" variant="subtle" loading={isSending} disabled={isUnknown} onClick={() => void remove()}>
          {t('remove')}
        </ActButton>
      )}
      {sale.status === 'open' && <TestPurchase sale={sale} />}
      {dialog === 'edit' && <EditSale sale={sale} onClose={close} />}
      {dialog === 'resize' && <ResizeSale sale={sale} stats={stats} onClose={close} />}
      {step !== undefined && <StepDialog {...step} onClose={() => setStep(undefined)} onLost={onLost} />}
    </>
  );
}

/** Deletes a draft at its displayed version, after a confirmation. */
function useRemove(sale: Sale): { remove: () => Promise<void>; isSending: boolean; isUnknown: boolean } {
  const { id, name, etag } = sale;
  const t = useText(saleMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const restore = useKeyedAction<SaleTerms, Sale>({
    scope: `flash-sales/${id}/restore`,
    title: `${t('restore')} · ${name}`,
    topics: ['flash-sales'],
    send: createSale,
    onDone: () => toasts.done(t('restored', { name })),
  });
  const action = useKeyedAction({
    scope: `flash-sales/${id}/remove`,
    title: `${t('remove')} · ${name}`,
    send: (guard: string) => deleteSale(id, guard),
    onDone: async () => {
      toasts.done(t('removed', { name }), () => restore.run(termsOf(readFields(sale))));
      await navigate({ to: '/flash-sales' });
      queries.removeQueries({ queryKey: oneSale(id).queryKey });
      await queries.invalidateQueries({ queryKey: ['flash-sales', 'list'] });
    },
    onRejected: async (error) => {
      const conflict = versionConflict<Sale>(error);
      if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('changedHint'));
      await queries.invalidateQueries({ queryKey: ['flash-sales'] });
    },
  });
  return {
    isSending: action.outcome === 'sending',
    isUnknown: action.outcome === 'unknown',
    remove: async () => {
      if ((await ask({ title: t('removeQuestion', { name }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' })) !== undefined) action.run(etag);
    },
  };
}
