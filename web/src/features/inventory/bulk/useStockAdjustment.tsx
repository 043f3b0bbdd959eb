import { Text } from '@mantine/core';
import { isProblem, orMissing, type ApiProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { When, type BulkAction, type Item, type Result } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { changeOf, openForm, takingBack, type StockForm } from '../adjustment';
import { AdjustmentInputs } from '../AdjustmentInputs';
import { inventoryMessages } from '../messages';
import { adjust, readStock, type Adjustment, type Stock, type StockChanged } from '../queries';
import { bulkStockMessages } from './messages';
import { adjustmentOf, isMissing, isWhy } from './plan';

const atOnce = 4;
const maxStocks = 1000;

/** Adds, removes or counts the units of many items, with one number for all or a number per item from a pasted or uploaded table. */
export function useStockAdjustment(): BulkAction<Stock, StockForm> {
  const t = useText(bulkStockMessages);
  const inventory = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number } = useFormat();
  const row = (sku: string, own: Adjustment): Item => ({ id: sku, label: sku, values: JSON.stringify(own) });
  const columns = [
    { name: 'reason', label: inventory('reason'), isNeeded: false },
    { name: 'reference', label: inventory('reference'), isNeeded: false },
  ];
  return {
    id: 'adjust',
    labels: {
      button: t('button'),
      title: (n) => t('title', { n }),
      confirm: (n) => t('confirm', { n }),
      done: (n) => t('done', { n }),
    },
    size: 1,
    maxRows: maxStocks,
    concurrency: atOnce,
    file: { kind: 'stock', key: 'sku', label: inventory('sku') },
    table: {
      button: t('table'),
      addsUp: true,
      find: (sku, signal) => orMissing(readStock(sku, signal)),
    },
    open: openForm,
    isComplete: (form, hasRowValues) => !isMissing(form, hasRowValues),
    inputs: ({ input, change, strict, hasRowValues }) => (
      <AdjustmentInputs form={input} onChange={change} strict={strict} error={null} disabled={false} hasRowValues={hasRowValues} />
    ),
    columns: ({ way }) => [
      way === 'delta' ? { name: 'delta', label: inventory('delta'), isNeeded: true } : { name: 'setTo', label: inventory('onHand'), isNeeded: true },
      ...columns,
    ],
    skip: (stock, form, own) => {
      // The input itself reports a missing number.
      if (own === undefined && (form.way === 'delta' ? form.delta : form.setTo) === null) return undefined;
      const planned = adjustmentOf(stock, form, own);
      if (!isWhy(planned)) return undefined;
      return 'text' in planned ? t(`skip_${planned.why}`, { text: planned.text }) : t(`skip_${planned.why}`);
    },
    preview: (stock, form, own) => {
      const planned = adjustmentOf(stock, form, own);
      return !isWhy(planned) && <Becomes stock={stock} change={changeOf(planned)} />;
    },
    item: (stock, form, own) => {
      const planned = adjustmentOf(stock, form, own);
      return isWhy(planned) ? { id: stock.sku, label: stock.sku, values: '' } : row(stock.sku, planned);
    },
    send: async ([one], _, key) => {
      if (one?.values === undefined) return [];
      const { id } = await adjust(one.id, JSON.parse(one.values) as Adjustment, key);
      return [{ id: one.id, verdict: 'done', made: String(id) }];
    },
    resultsOnError,
    describe: ({ verdict, made, current }) => {
      if (verdict === 'done' && made !== undefined) return t('movement', { id: made });
      if (verdict !== 'changed' || current === undefined) return undefined;
      const when = current.updatedTime === null ? '' : <When time={current.updatedTime} />;
      return t.rich('changedBy', { who: current.updatedBy?.name ?? ui('system'), when, n: number(current.onHand) });
    },
    undo: {
      item: ({ item, made }) => {
        if (item.values === undefined || made === undefined) return undefined;
        const onHandDelta = changeOf(JSON.parse(item.values) as Adjustment);
        return row(item.id, takingBack({ id: Number(made), onHandDelta }, inventory('undoReason')));
      },
      done: (n) => t('undone', { n }),
    },
  };
}

/** The result of a count that was rejected because it started from an outdated quantity. */
function resultsOnError(error: ApiProblem, [one]: readonly Item[]): Result<Stock>[] | undefined {
  if (one === undefined || !isProblem(error, 'status_changed')) return undefined;
  return [{ id: one.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: error.as<StockChanged>().current }];
}

/** The quantity before and after, if no other user changes it. */
function Becomes({ stock: { onHand, available }, change }: { stock: Stock; change: number }) {
  const t = useText(bulkStockMessages);
  const { number, signed } = useFormat();
  return (
    <>
      <Text span className="tabular">
        {signed(change)} · {t('becomes', { before: onHand, after: number(onHand + change) })}
      </Text>
      {available + change < 0 && (
        <Text span c="warn">
          {t('exceeds', { available })}
        </Text>
      )}
    </>
  );
}
