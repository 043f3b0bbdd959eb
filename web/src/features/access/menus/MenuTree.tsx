import { Loader, Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { useMay } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { useText } from '@/i18n';
import { PageHeader, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Empty } from '@/ui/table/Empty';
import { useMenuName } from '@/ui/shell/pages';
import { menuResource } from '../resource';
import { CreateMenu } from './CreateMenu';
import { menuMessages } from './messages';
import { MenuRow } from './MenuRow';
import styles from './MenuTree.module.css';
import { MissingPages } from './MissingPages';
import { menuList, type Menu } from './queries';
import { positionAfter, positionAt, rowsOf, acceptsChildren, type Step, type Zone } from './tree';
import { useMenuWrites } from './useMenuWrites';

/** The menus as a tree. Users order it with the pointer, the keyboard, or the actions of each menu. */
export function MenuTree() {
  const t = useText(menuMessages);
  const ui = useText(uiMessages);
  const query = useQuery(menuList);
  const { data: menus, error } = query;
  const mayWrite = useMay()('menus:write');
  const [adding, setAdding] = useState<Menu | 'top'>();
  const add = <CreateButton of={menuResource} onClick={() => setAdding('top')} />;
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="menus" />
        {add}
      </PageHeader>
      {error !== null && <ProblemBanner error={error} retry={() => void query.refetch()} />}
      {menus === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {menus?.length === 0 && (
        <Paper>
          <Empty title={t('empty')} hint={t('emptyHint')} action={add} />
        </Paper>
      )}
      {menus !== undefined && menus.length > 0 && <Tree menus={menus} mayWrite={mayWrite} onAdd={setAdding} />}
      {menus !== undefined && mayWrite && <MissingPages menus={menus} />}
      {adding !== undefined && <CreateMenu below={adding === 'top' ? undefined : adding} onClose={() => setAdding(undefined)} />}
    </>
  );
}

interface Dragging {
  menu: Menu;
  over?: { id: number; zone: Zone };
}

function Tree({ menus, mayWrite, onAdd }: { menus: readonly Menu[]; mayWrite: boolean; onAdd: (below: Menu) => void }) {
  const t = useText(menuMessages);
  const nameOf = useMenuName();
  const hintId = useId();
  const list = useRef<HTMLUListElement>(null);
  const [dragging, setDragging] = useState<Dragging>();
  /** The menu with the focused drag handle during a move by keyboard. */
  const held = useRef<number>(undefined);
  const [said, setSaid] = useState('');
  const { move, setHidden, remove, isBusy } = useMenuWrites({ onStep: setSaid });
  useEffect(() => {
    if (held.current !== undefined && document.activeElement === document.body) {
      list.current?.querySelector<HTMLElement>(`[data-grip="${held.current}"]`)?.focus();
    }
  }, [menus]);
  const stepBy = (menu: Menu, step: Step) => {
    const to = positionAfter(menus, menu, step);
    held.current = menu.id;
    if (to === undefined) setSaid(t('nowhere', { name: nameOf(menu) }));
    else if (!isBusy) move(menu, to, 'step');
  };
  const dropOn = (target: Menu, zone: Zone) => {
    const to = dragging && positionAt(menus, dragging.menu, target, zone);
    if (dragging !== undefined && to !== undefined && !isBusy) move(dragging.menu, to, 'pointer');
    setDragging(undefined);
  };
  const hover = (target: Menu, zone: Zone): boolean => {
    if (dragging === undefined) return false;
    const isPossible = positionAt(menus, dragging.menu, target, zone) !== undefined;
    const over = isPossible ? { id: target.id, zone } : undefined;
    if (over?.id !== dragging.over?.id || over?.zone !== dragging.over?.zone) setDragging({ menu: dragging.menu, over });
    return isPossible;
  };
  return (
    <>
      <div className={styles.hint}>
        <p>{t('hint')}</p>
        {mayWrite && <p id={hintId}>{t.rich('moveHint', { up: <kbd>↑</kbd>, down: <kbd>↓</kbd>, in: <kbd>→</kbd>, out: <kbd>←</kbd> })}</p>}
        <p role="status" className={styles.said}>
          {said}
        </p>
      </div>
      <Paper p="xs">
        <ul ref={list} className={styles.rows} aria-label={t('tree')}>
          {rowsOf(menus).map(({ menu, level, siblings }) => (
            <MenuRow
              key={menu.id}
              menu={menu}
              level={level}
              siblings={siblings}
              mayWrite={mayWrite}
              acceptsChildren={acceptsChildren(menus, menu.id)}
              canStep={(step) => positionAfter(menus, menu, step) !== undefined}
              isDragged={dragging?.menu.id === menu.id}
              drop={dragging?.over?.id === menu.id ? dragging.over.zone : undefined}
              hintId={hintId}
              onStep={(step) => stepBy(menu, step)}
              onDrag={(begins) => setDragging(begins ? { menu } : undefined)}
              onOver={(zone) => hover(menu, zone)}
              onDrop={(zone) => dropOn(menu, zone)}
              onHide={() => setHidden(menu, !menu.hidden)}
              onRemove={() => void remove(menu)}
              onAdd={() => onAdd(menu)}
            />
          ))}
        </ul>
      </Paper>
    </>
  );
}
