import { Paper, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { contentOfFields, Gone, RecordForm, useKeyedMutation, useRecordForm, useToasts } from '@/ui';
import { formOf, readFields, useItemWords, type ItemFields } from './fields';
import { isComplete, isItemInput, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { createItem, editItem, oneItem, type Item } from './queries';

interface Props {
  item: Item;
  /** It was deleted while it was open here. */
  gone: boolean;
  /** Which field has the focus. */
  onField: (field: string | undefined) => void;
}

/** Edits an item. */
export function ItemForm({ item, gone, onField }: Props) {
  const t = useText(itemMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const mayWrite = useMay()('items:write');
  const { sku, status } = item;
  const editing = useRecordForm<Item, ItemFields>({
    resource: `items/${sku}`,
    title: sku,
    current: item,
    words: useItemWords(),
    read: readFields,
    contentOf: contentOfFields,
    formOf,
    isComplete,
    send: (patch, etag, key) => editItem(sku, patch, etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneItem(sku).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['items'] });
    },
  });
  // An item keeps its code, so that it can be made again in its place.
  const recreate = useKeyedMutation<JsonObject, Item>({
    scope: `items/${sku}/recreate`,
    title: sku,
    send: (content, key) => {
      const { name, price, ownedByUserId } = formOf(content);
      return createItem({ sku, name, price: price ?? 0, ownedByUserId, status }, key);
    },
    onDone: (made) => {
      editing.adopt(made);
      toasts.done(t('added', { sku }));
    },
  });
  const { draft, mine, strict, error, words } = editing;
  const content = mine instanceof Error ? undefined : mine;
  const again = { ...recreate, run: content && (() => recreate.run(content)) };
  return (
    <Paper component="section" p="lg" aria-labelledby="details">
      <RecordForm
        editing={editing}
        lacks={mayWrite ? undefined : 'items:write'}
        told={isItemInput}
        onField={onField}
        head={
          <Title order={2} id="details">
            {t('details')}
          </Title>
        }
        gone={gone ? <Gone content={content} words={words} recreate={mayWrite ? again : undefined} /> : undefined}
      >
        <ItemInputs value={draft.value} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
