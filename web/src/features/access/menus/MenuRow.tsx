import { ActionIcon, Menu as Dropdown } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CSSProperties, DragEvent, KeyboardEvent } from 'react';
import { useText } from '@/i18n';
import { Icon, StatusChip } from '@/ui';
import { isIcon } from '@/ui/Icon';
import { useMenuName, usePageAt } from '@/ui/shell/pages';
import styles from './MenuTree.module.css';
import { menuMessages } from './messages';
import type { Menu } from './queries';
import type { Step, Zone } from './tree';

const stepKeys: Readonly<Record<string, Step>> = { ArrowUp: 'up', ArrowDown: 'down', ArrowRight: 'in', ArrowLeft: 'out' };

const steps = ['up', 'down', 'in', 'out'] as const;

interface Props {
  menu: Menu;
  level: number;
  siblings: number;
  /** Whether the user may move, hide and delete the menu. */
  mayWrite: boolean;
  /** Whether the menu can have children. */
  acceptsChildren: boolean;
  /** Whether a step moves the menu. */
  canStep: (step: Step) => boolean;
  /** Whether the row is being dragged, and the drop zone over it. */
  isDragged: boolean;
  drop: Zone | undefined;
  /** The id of the text that explains how to move a menu. */
  hintId: string;
  onStep: (step: Step) => void;
  onDrag: (begins: boolean) => void;
  onOver: (zone: Zone) => boolean;
  onDrop: (zone: Zone) => void;
  onHide: () => void;
  onRemove: () => void;
  onAdd: () => void;
}

/** One menu of the tree: its drag handle, its target and its actions. */
export function MenuRow(props: Props) {
  const { menu, level, siblings, mayWrite, acceptsChildren, canStep, isDragged, drop, hintId, onStep, onDrag, onOver, onDrop } = props;
  const t = useText(menuMessages);
  const name = useMenuName()(menu);
  const page = usePageAt()(menu.path);
  const icon = isIcon(menu.icon) ? menu.icon : page?.navigation?.icon;
  const isGroup = menu.path === '';
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepKeys[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onStep(step);
  };
  return (
    <li
      className={styles.row}
      aria-level={level}
      aria-posinset={menu.position + 1}
      aria-setsize={siblings}
      style={{ '--level': level - 1 } as CSSProperties}
      data-menu={menu.id}
      data-dragged={isDragged || undefined}
      data-drop={drop}
      onDragOver={(event) => {
        if (onOver(zoneOf(event))) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        onDrop(zoneOf(event));
      }}
    >
      {mayWrite && (
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          className={styles.grip}
          data-grip={menu.id}
          aria-label={t('grip', { name })}
          aria-describedby={hintId}
          draggable
          onKeyDown={onKeyDown}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            event.dataTransfer.setData('text/plain', name);
            const row = event.currentTarget.closest('li');
            if (row !== null) event.dataTransfer.setDragImage(row, 12, 12);
            onDrag(true);
          }}
          onDragEnd={() => onDrag(false)}
        >
          <Icon name="grip" size={20} />
        </ActionIcon>
      )}
      <span className={styles.icon}>{icon !== undefined && <Icon name={icon} />}</span>
      <span className={styles.name}>
        <span className={isGroup ? styles.group : undefined}>
          <Link to="/menus/$id" params={{ id: String(menu.id) }}>
            {name}
          </Link>
        </span>
        {isGroup ? <span className={styles.path}>{t('group')}</span> : <code className={styles.path}>{menu.path}</code>}
      </span>
      <span className={styles.chips}>
        {menu.permission !== '' && (
          <span className={styles.permission}>
            <StatusChip>{menu.permission}</StatusChip>
          </span>
        )}
        {menu.hidden && <StatusChip tone="warn">{t('isHidden')}</StatusChip>}
      </span>
      {mayWrite && (
        <Dropdown position="bottom-end" withinPortal={false}>
          <Dropdown.Target>
            <ActionIcon variant="subtle" color="gray" c="dimmed" aria-label={t('actions', { name })}>
              <Icon name="dots" size={20} />
            </ActionIcon>
          </Dropdown.Target>
          <Dropdown.Dropdown>
            {steps.map((step) => (
              <Dropdown.Item key={step} disabled={!canStep(step)} onClick={() => onStep(step)}>
                {t(step)}
              </Dropdown.Item>
            ))}
            <Dropdown.Divider />
            {acceptsChildren && <Dropdown.Item onClick={props.onAdd}>{t('addBelow')}</Dropdown.Item>}
            <Dropdown.Item onClick={props.onHide}>{t(menu.hidden ? 'show' : 'hide')}</Dropdown.Item>
            <Dropdown.Item c="var(--il-bad)" onClick={props.onRemove}>
              {t('remove')}
            </Dropdown.Item>
          </Dropdown.Dropdown>
        </Dropdown>
      )}
    </li>
  );
}

/** The drop zone under the pointer: before or after the menu at the edges, inside it in the middle. */
function zoneOf({ currentTarget, clientY }: DragEvent): Zone {
  const { top, height } = currentTarget.getBoundingClientRect();
  const part = (clientY - top) / height;
  return part < 0.3 ? 'before' : part > 0.7 ? 'after' : 'inside';
}
