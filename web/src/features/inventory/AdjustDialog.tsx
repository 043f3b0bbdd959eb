import { Button, SegmentedControl, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useKeyedAction, useKeyedForm, useToasts } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { AdjustmentInputs } from './AdjustmentInputs';
import { countedFrom, hasInput, missingOf, newReference, openForm, preview, requestOf, takingBack, type AdjustmentForm } from './adjustment';
import { inventoryMessages } from './messages';
import { adjust, oneStock, type Adjustment, type Movement, type Stock, type StockChanged } from './queries';
import { useAdjustRefusal } from './useAdjustRefusal';

interface Props {
  /** As it is now; the count keeps the number that it began at. */
  stock: Stock;
  onClose: () => void;
}

/** Adds pieces, takes some out, or replaces the number by what was counted. */
export function AdjustDialog({ stock, onClose }: Props) {
  const t = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number, signed } = useFormat();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { sku } = stock;
  const undo = useKeyedAction<Adjustment, Movement>({
    scope: `inventory/${sku}/undo`,
    title: t('undoOf', { sku }),
    topics: ['inventory'],
    send: (request, key) => adjust(sku, request, key),
    onDone: (made) => toasts.done(t('done', { sku, change: signed(made.onHandDelta), onHand: made.onHand })),
  });
  const keyed = useKeyedForm<AdjustmentForm, Movement>({
    scope: `inventory/${sku}/adjustments`,
    title: t('dialogTitle', { sku }),
    topics: ['inventory'],
    open: () => openForm(stock),
    reopen: countedFrom(stock),
    isComplete: (typed) => missingOf(typed).size === 0,
    send: (form, key) => adjust(sku, requestOf(form), key),
    onDone: (made) => {
      toasts.done(t('done', { sku, change: signed(made.onHandDelta), onHand: made.onHand }), () => undo.run(takingBack(made, t('undoReason'))));
      onClose();
    },
    onRefused: (error) => {
      if (isProblem(error, 'status_changed')) queries.setQueryData(oneStock(sku).queryKey, error.as<StockChanged>().current);
    },
  });
  const { form, change, isFixed, strict, error } = keyed;
  // Once sent, the stock that is shown may have it in it already.
  const after = isFixed ? undefined : preview(form, stock);
  const moved = form.way === 'count' && error === null && !isFixed && stock.onHand !== form.changeFrom;
  const countAgain = (n: number) => change({ changeFrom: n, setTo: null });
  const refusal = useAdjustRefusal(countAgain, () => change({ reference: newReference() }));
  return (
    <FormDialog
      form={keyed}
      title={t('dialogTitle', { sku })}
      confirm={t('save')}
      told={(pointer) => hasInput(form, pointer)}
      refusal={refusal}
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
      <SegmentedControl
        aria-label={t('way')}
        disabled={isFixed}
        value={form.way}
        data={[
          { value: 'delta', label: t('wayDelta') },
          { value: 'count', label: t('wayCount') },
        ]}
        onChange={(way) => change({ way })}
      />
      <AdjustmentInputs form={form} onChange={change} strict={strict} error={error} disabled={isFixed} />
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
