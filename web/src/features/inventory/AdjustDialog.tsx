import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useKeyedForm, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { AdjustmentInputs } from './AdjustmentInputs';
import { countedFrom, hasInput, missingOf, newReference, openForm, preview, requestOf, type AdjustmentForm } from './adjustment';
import { inventoryMessages } from './messages';
import { adjust, oneStock, type Movement, type Stock, type StockChanged } from './queries';
import { useAdjustRejection } from './useAdjustRejection';

interface Props {
  /** The current stock. A count uses the quantity at its start instead. */
  stock: Stock;
  /** Undoes an adjustment after the dialog was closed. */
  onUndo: (made: Movement) => void;
  onClose: () => void;
}

/** The dialog that adds units, removes units, or sets the counted quantity. */
export function AdjustDialog({ stock, onUndo, onClose }: Props) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number, signed } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { sku } = stock;
  const keyed = useKeyedForm<AdjustmentForm, Movement>({
    scope: `inventory/${sku}/adjustments`,
    title: t('dialogTitle', { sku }),
    topics: ['inventory'],
    open: () => ({ ...openForm(), changeFrom: stock.onHand }),
    reopen: countedFrom(stock),
    isComplete: (typed) => missingOf(typed).size === 0,
    send: (form, key) => adjust(sku, requestOf(form), key),
    onDone: (made) => {
      toasts.done(t('done', { sku, change: signed(made.onHandDelta), onHand: made.onHand }), () => onUndo(made));
      onClose();
    },
    onRejected: (error) => {
      if (isProblem(error, 'status_changed')) queries.setQueryData(oneStock(sku).queryKey, error.as<StockChanged>().current);
    },
  });
  const { form, change, isFixed, strict, error } = keyed;
  // After the write was sent there is no preview: the displayed stock may already include the adjustment.
  const after = isFixed ? undefined : preview(form, stock);
  const moved = form.way === 'count' && error === null && !isFixed && stock.onHand !== form.changeFrom;
  const countAgain = (n: number) => change({ changeFrom: n, setTo: null });
  const rejection = useAdjustRejection(countAgain, () => change({ reference: newReference() }));
  return (
    <FormDialog
      form={keyed}
      title={t('dialogTitle', { sku })}
      confirm={t('save')}
      hasInput={(pointer) => hasInput(form, pointer)}
      renderRejection={rejection}
      onClose={onClose}
    >
      {moved && (
        <Banner
          tone="warn"
          title={t('changedWhileOpen', { who: stock.updatedBy?.name ?? ui('system'), n: stock.onHand })}
          action={<Button onClick={() => countAgain(stock.onHand)}>{t('countAgain', { n: stock.onHand })}</Button>}
        >
          {t('changedWhileOpenHint', { from: form.changeFrom })}
        </Banner>
      )}
      <AdjustmentInputs form={form} onChange={change} strict={strict} error={error} disabled={isFixed} countedFrom={form.changeFrom} />
      {after !== undefined && (
        <Text c={after.available < 0 ? 'bad' : 'dimmed'} className="tabular">
          {t('preview', {
            onHand: stock.onHand,
            newOnHand: number(after.onHand),
            available: stock.available,
            newAvailable: number(after.available),
          })}
        </Text>
      )}
    </FormDialog>
  );
}
