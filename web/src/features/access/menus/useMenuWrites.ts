import { useQueryClient } from '@tanstack/react-query';
import { isProblem, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { useConfirm, useKeyedAction, useToasts } from '@/ui';
import { useMenuName } from '@/ui/shell/pages';
import { readFields, termsOf } from './fields';
import { menuMessages } from './messages';
import { createMenu, deleteMenu, editMenu, menuList, moveMenu, oneMenu, type Menu, type MenuTerms } from './queries';
import type { Place } from './tree';

interface Moving {
  menu: Menu;
  to: Place;
  /** A move by keyboard. Several can follow each other quickly, so it is reported in the tree instead of in a toast. */
  isStep?: boolean;
  isUndo?: boolean;
}

interface Hiding {
  menu: Menu;
  hidden: boolean;
  isUndo?: boolean;
}

export interface MenuWrites {
  move: (menu: Menu, to: Place, by: 'step' | 'pointer') => void;
  setHidden: (menu: Menu, hidden: boolean) => void;
  remove: (menu: Menu) => Promise<void>;
  /** Whether a write is in flight or has an unknown outcome. */
  isBusy: boolean;
}

/** The writes of the menu tree, by button, keyboard or pointer. Each can be undone by a separate write. */
export function useMenuWrites({ onStep, onRemoved }: { onStep?: (said: string) => void; onRemoved?: () => Promise<void> } = {}): MenuWrites {
  const t = useText(menuMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const nameOf = useMenuName();
  const reread = async () => {
    await Promise.all(['menus', 'navigation'].map((topic) => queries.invalidateQueries({ queryKey: [topic] })));
  };

  const move = useKeyedAction<Moving, Menu>({
    scope: 'menus/move',
    title: t('move'),
    topics: ['menus', 'navigation'],
    send: ({ menu, to }, key) => moveMenu(menu.id, { parentId: to.parentId, position: to.position }, menu.etag, key),
    onDone: async (moved, { menu: { parentId, position }, isStep, isUndo }) => {
      queries.setQueryData(oneMenu(moved.id).queryKey, moved);
      await reread();
      const [name, place] = [nameOf(moved), moved.position + 1];
      const parent = queries.getQueryData(menuList.queryKey)?.find(({ id }) => id === moved.parentId);
      const said = parent === undefined ? t('movedTop', { name, place }) : t('moved', { name, place, parent: nameOf(parent) });
      if (isStep === true) onStep?.(said);
      else toasts.done(said, isUndo === true ? undefined : () => move.run({ menu: moved, to: { parentId, position }, isUndo: true }));
    },
    onRejected: async (error, { menu }) => {
      const [name, conflict] = [nameOf(menu), versionConflict<Menu>(error)];
      if (conflict !== undefined) toasts.info(t('movedMeanwhile', { who: conflict.updatedBy.name, name }));
      else if (isProblem(error, 'validation_failed')) toasts.info(t('circle', { name }));
      else toasts.failed(error);
      await reread();
    },
  });

  const hide = useKeyedAction<Hiding, Menu>({
    scope: 'menus/hide',
    title: t('hide'),
    topics: ['menus', 'navigation'],
    send: ({ menu, hidden }, key) => editMenu(menu.id, { hidden }, menu.etag, key, { merge: 'disjoint' }),
    onDone: async (saved, { hidden, isUndo }) => {
      queries.setQueryData(oneMenu(saved.id).queryKey, saved);
      await reread();
      const undo = () => hide.run({ menu: saved, hidden: !hidden, isUndo: true });
      toasts.done(t(hidden ? 'hiddenNow' : 'shownNow', { name: nameOf(saved) }), isUndo === true ? undefined : undo);
    },
    onRejected: async (error, { menu }) => {
      const conflict = versionConflict<Menu>(error);
      if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('changedMeanwhile', { who: conflict.updatedBy.name, name: nameOf(menu) }));
      await reread();
    },
  });

  const restore = useKeyedAction<MenuTerms, Menu>({
    scope: 'menus/restore',
    title: t('restore'),
    topics: ['menus', 'navigation'],
    send: createMenu,
    onDone: async (made) => {
      await reread();
      toasts.done(t('restored', { name: nameOf(made) }));
    },
  });

  const remove = useKeyedAction<Menu, unknown>({
    scope: 'menus/remove',
    title: t('remove'),
    send: ({ id, etag }) => deleteMenu(id, etag),
    onDone: async (_, menu) => {
      const { id, parentId, position } = menu;
      toasts.done(t('removed', { name: nameOf(menu) }), () => restore.run({ ...termsOf(readFields(menu)), parentId, position }));
      await onRemoved?.();
      queries.removeQueries({ queryKey: oneMenu(id).queryKey });
      await reread();
    },
    onRejected: async (error, menu) => {
      const [name, conflict] = [nameOf(menu), versionConflict<Menu>(error)];
      if (isProblem(error, 'in_use')) toasts.info(t('inUse', { name }));
      else if (conflict === undefined) toasts.failed(error);
      else toasts.info(t('changedMeanwhile', { who: conflict.updatedBy.name, name }));
      await reread();
    },
  });

  return {
    move: (menu, to, by) => move.run({ menu, to, isStep: by === 'step' }),
    setHidden: (menu, hidden) => hide.run({ menu, hidden }),
    remove: async (menu) => {
      const sure = await ask({ title: t('removeQuestion', { name: nameOf(menu) }), body: t('removeBody'), confirm: t('remove'), tone: 'bad' });
      if (sure !== undefined) remove.run(menu);
    },
    isBusy: [move, hide, remove].some(({ outcome }) => outcome === 'sending' || outcome === 'unknown'),
  };
}
