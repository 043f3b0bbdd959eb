import { Button, Paper, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, data, useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { RecordForm } from '@/ui/edit/RecordForm';
import { useRecordForm } from '@/ui/edit/useRecordForm';
import { readFields, useItemTexts, type ItemFields } from './fields';
import { isComplete, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { editItem, oneItem, type Item } from './queries';

interface Props {
  item: Item;
  /** It was deleted while it was open here. */
  gone: boolean;
}

/** Edits an item. */
export function ItemForm({ item, gone }: Props) {
  const t = useText(itemMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('items:write');
  const { sku } = item;
  const put = (saved: Item) => {
    queries.setQueryData(oneItem(sku).queryKey, saved);
    void queries.invalidateQueries({ queryKey: ['items'] });
  };
  const form = useRecordForm<Item, ItemFields>({
    resource: `items/${sku}`,
    current: item,
    read: readFields,
    texts: useItemTexts(),
    isComplete,
    send: async (patch, etag) => {
      const saved = await editItem(sku, patch, etag);
      put(saved);
      return saved;
    },
  });
  const { draft, strict } = form;
  const onMade = (made: Item) => {
    draft.saved(made);
    put(made);
  };
  return (
    <Paper component="section" p="lg" aria-labelledby="details">
      <RecordForm
        form={form}
        readOnly={!mayWrite}
        head={
          <Title order={2} id="details">
            {t('details')}
          </Title>
        }
        gone={gone ? <Gone item={item} value={draft.value} mayWrite={mayWrite} onMade={onMade} /> : undefined}
      >
        <ItemInputs value={draft.value} strict={strict} readOnly={!mayWrite} onChange={form.change} />
      </RecordForm>
    </Paper>
  );
}

interface GoneProps {
  item: Item;
  value: ItemFields;
  mayWrite: boolean;
  /** It exists again, with what was typed. */
  onMade: (item: Item) => void;
}

/** An item keeps its code, so that it can be made again in its place. */
function Gone({ item: { sku, status }, value, mayWrite, onMade }: GoneProps) {
  const t = useText(itemMessages);
  const edit = useText(editMessages);
  const toasts = useToasts();
  const recreate = useMutation({
    mutationFn: () => data(api.POST('/api/v1/items', { body: { sku, ...value, price: value.price ?? 0, status } })),
    onSuccess: (made) => {
      onMade(made);
      toasts.done(t('added', { sku }));
    },
  });
  return (
    <>
      {recreate.error !== null && <ProblemBanner error={recreate.error} />}
      <Banner
        tone="bad"
        title={edit('deleted')}
        action={
          mayWrite && (
            <Button loading={recreate.isPending} onClick={() => recreate.mutate()}>
              {edit('recreate')}
            </Button>
          )
        }
      >
        {edit('deletedHint')}
      </Banner>
    </>
  );
}
