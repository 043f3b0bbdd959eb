import { Button, Group, Paper, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { api, data, useMay } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useDraft, useToasts } from '@/ui';
import { EditNotices } from '@/ui/edit/EditNotices';
import { FieldConflicts } from '@/ui/edit/FieldConflicts';
import { editMessages } from '@/ui/edit/messages';
import { useGuardedSave, type Saved } from '@/ui/edit/useGuardedSave';
import { useSaveWords } from '@/ui/edit/useSaveWords';
import { readFields, useItemTexts, type ItemFields } from './fields';
import { isComplete, ItemInputs } from './ItemInputs';
import { itemMessages } from './messages';
import { editItem, oneItem, type Item } from './queries';

interface Props {
  item: Item;
  /** It was deleted while it was open here. */
  gone: boolean;
}

/** Edits an item; what others change meanwhile is merged, or asked for field by field. */
export function ItemForm({ item, gone }: Props) {
  const t = useText(itemMessages);
  const edit = useText(editMessages);
  const queries = useQueryClient();
  const toasts = useToasts();
  const texts = useItemTexts();
  const tell = useSaveWords<ItemFields>(texts);
  const mayWrite = useMay()('items:write');
  const draft = useDraft({ resource: `items/${item.sku}`, current: item, read: readFields });
  const [strict, setStrict] = useState(false);
  const put = (saved: Item) => {
    queries.setQueryData(oneItem(item.sku).queryKey, saved);
    void queries.invalidateQueries({ queryKey: ['items'] });
  };
  const guarded = useGuardedSave<Item, ItemFields>({
    draft,
    read: readFields,
    send: async (patch, etag) => {
      const saved = await editItem(item.sku, patch, etag);
      put(saved);
      return saved;
    },
  });
  const save = useMutation({ mutationFn: (run: () => Promise<Saved<ItemFields>>) => run() });
  const recreate = useMutation({
    mutationFn: () => data(api.POST('/api/v1/items', { body: { sku: item.sku, ...draft.value, price: draft.value.price ?? 0, status: item.status } })),
    onSuccess: (made) => {
      draft.saved(made);
      put(made);
      toasts.done(t('added', { sku: made.sku }));
    },
  });
  const { conflict } = guarded;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (isComplete(draft.value)) save.mutate(guarded.save, { onSuccess: (outcome) => tell(outcome) });
  };
  const error = save.error ?? recreate.error;
  return (
    <Paper component="section" p="lg" aria-labelledby="details">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Title order={2} id="details">
            {t('details')}
          </Title>
          {error !== null && !gone && <ProblemBanner error={error} />}
          {gone && (
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
          )}
          {conflict === undefined && !gone && <EditNotices draft={draft} current={item} read={readFields} texts={texts} />}
          {conflict !== undefined && !gone && (
            <FieldConflicts
              conflict={conflict}
              mine={draft.value}
              texts={texts}
              saving={save.isPending}
              onChoose={guarded.choose}
              onLater={guarded.giveUp}
              onResolve={() => save.mutate(() => guarded.resolve(conflict), { onSuccess: (outcome) => tell(outcome, conflict.by.name) })}
            />
          )}
          <ItemInputs value={draft.value} strict={strict} readOnly={!mayWrite} onChange={(change) => draft.setValue((before) => ({ ...before, ...change }))} />
          {mayWrite && !gone && (
            <Group justify="flex-end">
              <Button disabled={!draft.isDirty} onClick={draft.discard}>
                {edit('discard')}
              </Button>
              <Button type="submit" variant="filled" disabled={!draft.isDirty || conflict !== undefined} loading={save.isPending}>
                {edit('save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Paper>
  );
}
