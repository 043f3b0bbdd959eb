import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, DeletedRecord, useKeyedMutation, useToasts } from '@/ui';
import { useItemLabels, type ItemFields } from './fields';
import { isComplete } from './ItemInputs';
import { itemMessages } from './messages';
import { createItem, type Item } from './queries';

interface Props {
  sku: string;
  /** The draft. */
  form: ItemFields;
  status: Item['status'];
  onRecreated: (made: Item) => void;
  /** Set if the item was already deleted when the page opened. */
  onForget?: () => void;
}

/** Shown for a deleted item with a draft. The item can be created again under the same SKU. */
export function DeletedItem({ sku, form, status, onRecreated, onForget }: Props) {
  const t = useText(itemMessages);
  const toasts = useToasts();
  const labels = useItemLabels();
  const mayWrite = useMay()('items:write');
  const recreate = useKeyedMutation<ItemFields, Item>({
    scope: `items/${sku}/recreate`,
    title: sku,
    send: ({ name, price, ownedByUserId }, key) => createItem({ sku, name: name.trim(), price: price ?? 0, ownedByUserId, status }, key),
    onDone: (made) => {
      onRecreated(made);
      toasts.done(t('added', { sku }));
    },
  });
  const again = { ...recreate, run: isComplete(form) ? () => recreate.run(form) : undefined };
  return <DeletedRecord content={contentOfFields(form)} labels={labels} recreate={mayWrite ? again : undefined} onDiscard={onForget} />;
}
