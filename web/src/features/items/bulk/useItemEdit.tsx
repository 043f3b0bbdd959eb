import { NativeSelect, NumberInput, SegmentedControl, TextInput } from '@mantine/core';
import { isCustomerId } from '@/api';
import { useText } from '@/i18n';
import type { BulkAction, InputProps, Watched } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { itemMessages } from '../messages';
import type { Item } from '../queries';
import { bulkItemMessages } from './messages';
import { editOf, type EditForm } from './plan';
import { atOnce, Becomes, makeChange, maxItems, rowOf, resultsOnError, useOthers, useReading, useReason, useUndo, watchedItem } from './useItemChanges';

/** How the list detects that other users changed chosen items. */
export const watchedItems: Watched<Item> = { ...watchedItem, key: ({ sku }) => sku, read: ({ sku }) => watchedItem.read(sku) };

const kinds = ['price', 'percent', 'status', 'owner'] as const;

/** Edits many items, with the same change for all or a price per item from a pasted or uploaded table. */
export function useItemEdit(): BulkAction<Item, EditForm> {
  const t = useText(bulkItemMessages);
  const items = useText(itemMessages);
  const reading = useReading();
  const reason = useReason();
  const others = useOthers();
  const undo = useUndo();
  return {
    id: 'edit',
    labels: {
      button: t('edit'),
      title: (n) => t('editTitle', { n }),
      confirm: (n) => t('go', { n }),
      done: (n) => t('done', { n }),
    },
    size: 1,
    maxRows: maxItems,
    concurrency: atOnce,
    file: { kind: 'items', key: 'sku', label: items('sku') },
    open: () => ({ kind: 'price', price: null, percent: null, status: 'archived', owner: '' }),
    isComplete: (form, hasRowValues) => !isMissing(form, hasRowValues),
    inputs: (props) => <Inputs {...props} />,
    columns: ({ kind }) => (kind === 'price' ? [{ name: 'price', label: items('price'), isNeeded: true }] : []),
    // An incomplete form changes nothing.
    skip: (item, form, own) => (isMissing(form, own !== undefined) ? undefined : reason(editOf(item, form, own, reading))),
    preview: (item, form, own) => !isMissing(form, own !== undefined) && <Becomes change={editOf(item, form, own, reading)} />,
    item: (item, form, own) => rowOf(item.sku, editOf(item, form, own, reading)),
    send: (rows, _, key) => makeChange(rows, key),
    resultsOnError,
    describe: others,
    undo,
  };
}

/** Whether a required input is missing or invalid. */
function isMissing({ kind, price, percent, owner }: EditForm, hasRowValues: boolean): boolean {
  if (kind === 'price') return !hasRowValues && price === null;
  if (kind === 'percent') return percent === null || percent === 0 || percent < -100;
  return kind === 'owner' && owner.trim() !== '' && !isCustomerId(owner.trim());
}

function Inputs({ input, change, strict, hasRowValues }: InputProps<EditForm>) {
  const t = useText(bulkItemMessages);
  const items = useText(itemMessages);
  const { kind, price, percent, status, owner } = input;
  const fault = strict && isMissing(input, hasRowValues);
  return (
    <>
      <NativeSelect
        label={t('what')}
        data={kinds.map((value) => ({ value, label: t(value) }))}
        value={kind}
        onChange={(event) => change({ kind: event.currentTarget.value as EditForm['kind'] })}
      />
      {kind === 'price' && !hasRowValues && (
        <MoneyInput label={t('newPrice')} minor={price} error={fault && items('priceNeeded')} onMinor={(minor) => change({ price: minor })} />
      )}
      {kind === 'percent' && (
        <NumberInput
          label={t('byPercent')}
          description={t('byPercentHint')}
          value={percent ?? ''}
          error={fault && t('percentNeeded')}
          onChange={(typed) => change({ percent: typeof typed === 'number' && Number.isFinite(typed) ? typed : null })}
        />
      )}
      {kind === 'status' && (
        <SegmentedControl
          aria-label={t('newStatus')}
          value={status}
          data={(['active', 'archived'] as const).map((value) => ({ value, label: items(value) }))}
          onChange={(value) => change({ status: value })}
        />
      )}
      {kind === 'owner' && (
        <TextInput
          label={t('newOwner')}
          maxLength={64}
          value={owner}
          error={fault && t('skip_owner', { text: owner.trim() })}
          onChange={(event) => change({ owner: event.currentTarget.value })}
        />
      )}
    </>
  );
}
