import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isProblem, useMay, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { ActButton, useConfirm, useKeyedAction, useToasts } from '@/ui';
import { itemMessages } from './messages';
import { createItem, deleteItem, editItem, oneItem, type Item, type NewItem } from './queries';

interface Archiving {
  to: Item['status'];
  etag: string;
  isUndo?: boolean;
}

/** Archives, unarchives and deletes an item. */
export function ItemActions({ item }: { item: Item }) {
  const { sku, status, etag } = item;
  const t = useText(itemMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const archive = useKeyedAction<Archiving, Item>({
    scope: `items/${sku}/archive`,
    title: `${t('archive')} · ${sku}`,
    topics: ['items'],
    send: ({ to, etag: at }, key) => editItem(sku, { status: to }, at, key, { merge: 'disjoint' }),
    onDone: (saved, { isUndo }) => {
      queries.setQueryData(oneItem(sku).queryKey, saved);
      const before = saved.status === 'archived' ? 'active' : 'archived';
      const undo = () => archive.run({ to: before, etag: saved.etag, isUndo: true });
      toasts.done(t(saved.status === 'archived' ? 'archivedNow' : 'activeNow', { sku }), isUndo === true ? undefined : undo);
    },
    onRejected: (error) => {
      const conflict = versionConflict<Item>(error);
      if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('already', { who: conflict.updatedBy.name, status: t(conflict.current.status) }));
    },
  });
  const restore = useKeyedAction<NewItem, Item>({
    scope: `items/${sku}/restore`,
    title: `${t('add')} · ${sku}`,
    topics: ['items'],
    send: createItem,
    onDone: () => toasts.done(t('added', { sku })),
  });
  const remove = useKeyedAction({
    scope: `items/${sku}/remove`,
    title: `${t('remove')} · ${sku}`,
    send: (at: string) => deleteItem(sku, at),
    onDone: async () => {
      const { name, price, ownedByUserId } = item;
      toasts.done(t('removed', { sku }), () => restore.run({ sku, name, price, ownedByUserId, status }));
      await navigate({ to: '/items' });
      queries.removeQueries({ queryKey: ['items', 'one', sku] });
      await queries.invalidateQueries({ queryKey: ['items', 'list'] });
    },
    onRejected: async (error) => {
      const conflict = versionConflict<Item>(error);
      if (conflict !== undefined) {
        toasts.info(t('changedMeanwhile', { who: conflict.updatedBy.name, sku }));
        await queries.invalidateQueries({ queryKey: ['items'] });
      } else if (isProblem(error, 'in_use')) {
        const instead = await ask({ title: t('inUse', { sku }), body: t('inUseHint'), confirm: t('archive') });
        if (instead !== undefined && status === 'active') archive.run({ to: 'archived', etag });
      } else toasts.failed(error);
    },
  });
  if (!useMay()('items:write')) return null;
  const onArchive = async () => {
    const sure = await ask({ title: t('archiveQuestion', { sku }), body: t('archiveBody'), confirm: t('archive') });
    if (sure !== undefined) archive.run({ to: 'archived', etag });
  };
  const onRemove = async () => {
    const sure = await ask({ title: t('removeQuestion', { sku }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' });
    if (sure !== undefined) remove.run(etag);
  };
  return (
    <>
      <ActButton
        loading={archive.outcome === 'sending'}
        disabled={archive.outcome === 'unknown'}
        onClick={() => (status === 'active' ? void onArchive() : archive.run({ to: 'active', etag }))}
      >
        {t(status === 'active' ? 'archive' : 'unarchive')}
      </ActButton>
      <ActButton color="bad" variant="subtle" loading={remove.outcome === 'sending'} disabled={remove.outcome === 'unknown'} onClick={() => void onRemove()}>
        {t('remove')}
      </ActButton>
    </>
  );
}
