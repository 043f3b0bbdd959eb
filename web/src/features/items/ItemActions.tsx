import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, isProblem, useMay, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { useConfirm, useToasts } from '@/ui';
import { itemMessages } from './messages';
import { editItem, oneItem, type Item } from './queries';

/** Archives, unarchives and deletes an item. */
export function ItemActions({ item }: { item: Item }) {
  const t = useText(itemMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { sku } = item;
  const archive = useMutation({
    mutationFn: ({ to, etag }: { to: Item['status']; etag: string; isUndo?: boolean }) => editItem(sku, { status: to }, etag, 'disjoint'),
    onSuccess: (saved, { isUndo }) => {
      queries.setQueryData(oneItem(sku).queryKey, saved);
      const before = saved.status === 'archived' ? 'active' : 'archived';
      const undo = () => archive.mutate({ to: before, etag: saved.etag, isUndo: true });
      toasts.done(t(saved.status === 'archived' ? 'archivedNow' : 'activeNow', { sku }), isUndo === true ? undefined : undo);
    },
    onError: (error) => {
      const conflict = versionConflict<Item>(error);
      if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('already', { who: conflict.updatedBy.name, status: t(conflict.current.status) }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['items'] }),
  });
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/items/{sku}', { params: { path: { sku }, header: { 'If-Match': item.etag } } }),
    onSuccess: async () => {
      toasts.done(t('removed', { sku }));
      await navigate({ to: '/items' });
      queries.removeQueries({ queryKey: ['items', 'one', sku] });
      await queries.invalidateQueries({ queryKey: ['items', 'list'] });
    },
    onError: async (error) => {
      const conflict = versionConflict<Item>(error);
      if (conflict !== undefined) {
        toasts.info(t('changedMeanwhile', { who: conflict.updatedBy.name, sku }));
        await queries.invalidateQueries({ queryKey: ['items'] });
      } else if (isProblem(error, 'in_use')) {
        const instead = await ask({ title: t('inUse', { sku }), body: t('inUseHint'), confirm: t('archive') });
        if (instead !== undefined && item.status === 'active') archive.mutate({ to: 'archived', etag: item.etag });
      } else toasts.failed(error);
    },
  });
  if (!useMay()('items:write')) return null;
  const onArchive = async () => {
    if ((await ask({ title: t('archiveAsk', { sku }), body: t('archiveBody'), confirm: t('archive') })) !== undefined)
      archive.mutate({ to: 'archived', etag: item.etag });
  };
  const onRemove = async () => {
    if ((await ask({ title: t('removeAsk', { sku }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' })) !== undefined) remove.mutate();
  };
  return (
    <>
      {item.status === 'active' ? (
        <Button loading={archive.isPending} onClick={() => void onArchive()}>
          {t('archive')}
        </Button>
      ) : (
        <Button loading={archive.isPending} onClick={() => archive.mutate({ to: 'active', etag: item.etag })}>
          {t('unarchive')}
        </Button>
      )}
      <Button color="bad" variant="light" loading={remove.isPending} onClick={() => void onRemove()}>
        {t('remove')}
      </Button>
    </>
  );
}
