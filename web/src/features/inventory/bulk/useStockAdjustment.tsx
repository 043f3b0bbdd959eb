import { NumberInput, SegmentedControl, Text, TextInput } from '@mantine/core';
import { isProblem, orMissing, type ApiProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { When, type BulkAction, type InputProps, type Item, type Result } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { newReference, takingBack } from '../adjustment';
import { inventoryMessages } from '../messages';
import { adjust, readStock, type Adjustment, type Stock, type StockChanged } from '../queries';
import { bulkStockMessages } from './messages';
import { adjustmentOf, changeOf, isMissing, isWhy, type StockForm } from './plan';

const atOnce = 4;
const mostStocks = 1000;

/** Adds, takes out or counts the pieces of many items: the same for all, or to each its own from a table. */
export function useStockAdjustment(): BulkAction<Stock, StockForm> {
  const t = useText(bulkStockMessages);
  const inventory = useText(inventoryMessages);
  const ui = useText(uiMessages);
  const { number } = useFormat();
  const row = (sku: string, own: Adjustment): Item => ({ id: sku, label: sku, own: JSON.stringify(own) });
  const columns = [
    { name: 'reason', label: inventory('reason'), isNeeded: false },
    { name: 'reference', label: inventory('reference'), isNeeded: false },
  ];
  return {
    id: 'adjust',
    words: {
      button: t('button'),
      title: (n) => t('title', { n }),
      confirm: (n) => t('go', { n }),
      done: (n) => t('done', { n }),
    },
    size: 1,
    most: mostStocks,
    atOnce,
    table: {
      button: t('table'),
      names: [inventory('sku'), 'sku'],
      addsUp: true,
      find: (sku, signal) => orMissing(readStock(sku, signal)),
    },
    open: () => ({ way: 'delta', delta: null, setTo: null, reason: '', reference: newReference() }),
    isComplete: (form, hasOwn) => !isMissing(form, hasOwn),
    inputs: (props) => <Inputs {...props} />,
    own: ({ way }) => [
      way === 'delta' ? { name: 'delta', label: inventory('delta'), isNeeded: true } : { name: 'setTo', label: inventory('onHand'), isNeeded: true },
      ...columns,
    ],
    skip: (stock, form, own) => {
      // What is not typed yet is asked for at its input.
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
      return isWhy(planned) ? { id: stock.sku, label: stock.sku, own: '' } : row(stock.sku, planned);
    },
    send: async ([one], _, key) => {
      if (one?.own === undefined) return [];
      const { id } = await adjust(one.id, JSON.parse(one.own) as Adjustment, key);
      return [{ id: one.id, verdict: 'done', made: String(id) }];
    },
    told,
    describe: ({ verdict, made, current }) => {
      if (verdict === 'done' && made !== undefined) return t('movement', { id: made });
      if (verdict !== 'changed' || current === undefined) return undefined;
      const when = current.updatedTime === null ? '' : <When time={current.updatedTime} />;
      return t.rich('changedBy', { who: current.updatedBy?.name ?? ui('system'), when, n: number(current.onHand) });
    },
    undo: {
      item: ({ item, made }) => {
        if (item.own === undefined || made === undefined) return undefined;
        const onHandDelta = changeOf(JSON.parse(item.own) as Adjustment);
        return row(item.id, takingBack({ id: Number(made), onHandDelta }, inventory('undoReason')));
      },
      done: (n) => t('undone', { n }),
    },
  };
}

/** A count that stands on another number than is there now was not made. */
function told(error: ApiProblem, [one]: readonly Item[]): Result<Stock>[] | undefined {
  if (one === undefined || !isProblem(error, 'status_changed')) return undefined;
  return [{ id: one.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: error.as<StockChanged>().current }];
}

/** How many there are and will be, as far as others leave it at that. */
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
          {t('over', { available })}
        </Text>
      )}
    </>
  );
}

function Inputs({ input, change, strict, hasOwn }: InputProps<StockForm>) {
  const t = useText(bulkStockMessages);
  const inventory = useText(inventoryMessages);
  const { way, delta, setTo, reason, reference } = input;
  const whole = (typed: string | number) => (typeof typed === 'number' && Number.isSafeInteger(typed) ? typed : null);
  return (
    <>
      <SegmentedControl
        aria-label={inventory('way')}
        value={way}
        data={[
          { value: 'delta', label: inventory('wayDelta') },
          { value: 'count', label: inventory('wayCount') },
        ]}
        onChange={(value) => change({ way: value })}
      />
      {!hasOwn && (
        <NumberInput
          key={way}
          label={inventory(way === 'delta' ? 'delta' : 'setTo')}
          description={way === 'delta' && inventory('deltaHint')}
          allowDecimal={false}
          allowNegative={way === 'delta'}
          value={(way === 'delta' ? delta : setTo) ?? ''}
          error={strict && (way === 'delta' ? (delta ?? 0) === 0 && inventory('deltaNeeded') : setTo === null && inventory('setToNeeded'))}
          onChange={(typed) => change(way === 'delta' ? { delta: whole(typed) } : { setTo: whole(typed) })}
        />
      )}
      <TextInput
        label={inventory('reason')}
        description={t('reasonHint')}
        maxLength={500}
        value={reason}
        error={strict && reason.trim() === '' && inventory('reasonNeeded')}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
      <TextInput
        label={inventory('reference')}
        description={t('referenceHint')}
        classNames={{ input: 'mono' }}
        maxLength={100}
        value={reference}
        error={strict && (reference.trim() === '' || reference.trim().startsWith('@')) && inventory('referenceNeeded')}
        onChange={(event) => change({ reference: event.currentTarget.value })}
      />
    </>
  );
}
