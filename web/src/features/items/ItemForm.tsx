import { Paper, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { contentOfFields, RecordForm, useRecordForm } from '@/ui';
import { DeletedItem } from './DeletedItem';
import { formOf, readFields, useItemLabels, type ItemFields } from './fields';
import { isComplete, isItemInput, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { editItem, oneItem, type Item } from './queries';

interface Props {
  item: Item;
  /** Whether the item was deleted while the page was open. */
  gone: boolean;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

export function ItemForm({ item, gone, onField }: Props) {
  const t = useText(itemMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('items:write');
  const { sku, status } = item;
  const editing = useRecordForm<Item, ItemFields>({
    resource: `items/${sku}`,
    title: sku,
    current: item,
    labels: useItemLabels(),
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
  const { draft, strict, error } = editing;
  return (
    <Paper component="section" p="lg" aria-labelledby="details">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'items:write'}
        hasInput={isItemInput}
        onField={onField}
        head={
          <Title order={2} id="details">
            {t('details')}
          </Title>
        }
        deletedNotice={gone ? <DeletedItem sku={sku} form={draft.value} status={status} onRecreated={editing.adopt} /> : undefined}
      >
        <ItemInputs value={draft.value} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
