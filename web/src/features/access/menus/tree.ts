import type { Menu } from './queries';

/** The service's maximum number of menu levels. */
const maxLevels = 4;

/** A target position of a menu. */
export interface Place {
  parentId: number | null;
  /** The index among the siblings, not counting the menu itself. */
  position: number;
}

/** A move by keyboard: up or down among the siblings, into the previous sibling, or out to the level of the parent. */
export type Step = 'up' | 'down' | 'in' | 'out';

/** The drop zone on another menu. */
export type Zone = 'before' | 'inside' | 'after';

/** A menu as a row of the tree. */
export interface Row {
  menu: Menu;
  /** Starts at 1. */
  level: number;
  /** The number of siblings, including the menu itself. */
  siblings: number;
}

const below = (menus: readonly Menu[], parentId: number | null): Menu[] => menus.filter((menu) => menu.parentId === parentId);

const byId = (menus: readonly Menu[], id: number | null): Menu | undefined => menus.find((menu) => menu.id === id);

function levelOf(menus: readonly Menu[], id: number | null): number {
  const menu = byId(menus, id);
  return menu === undefined ? 0 : 1 + levelOf(menus, menu.parentId);
}

/** The number of levels that a menu and its descendants occupy. */
const heightOf = (menus: readonly Menu[], id: number): number => 1 + Math.max(0, ...below(menus, id).map((menu) => heightOf(menus, menu.id)));

const isWithin = (menus: readonly Menu[], id: number | null, above: number): boolean =>
  id !== null && (id === above || isWithin(menus, byId(menus, id)?.parentId ?? null, above));

/**
 * Whether a menu can become a child of another menu. That menu must not be the menu itself or a
 * descendant, and the maximum depth must not be exceeded.
 */
const fits = (menus: readonly Menu[], id: number, parentId: number | null): boolean =>
  !isWithin(menus, parentId, id) && levelOf(menus, parentId) + heightOf(menus, id) <= maxLevels;

/** Whether a menu can have children. */
export const acceptsChildren = (menus: readonly Menu[], id: number): boolean => levelOf(menus, id) < maxLevels;

export function rowsOf(menus: readonly Menu[]): Row[] {
  return menus.map((menu) => ({ menu, level: levelOf(menus, menu.id), siblings: below(menus, menu.parentId).length }));
}

/** The target position of a step; undefined if the step is not possible. */
export function positionAfter(menus: readonly Menu[], menu: Menu, step: Step): Place | undefined {
  const { id, parentId, position } = menu;
  const siblings = below(menus, parentId);
  const before = siblings[position - 1];
  const parent = byId(menus, parentId);
  switch (step) {
    case 'up':
      return before && { parentId, position: position - 1 };
    case 'down':
      return position < siblings.length - 1 ? { parentId, position: position + 1 } : undefined;
    case 'in':
      return before !== undefined && fits(menus, id, before.id) ? { parentId: before.id, position: below(menus, before.id).length } : undefined;
    case 'out':
      return parent && { parentId: parent.parentId, position: parent.position + 1 };
  }
}

/** The target position of a drop; undefined if it is not allowed or changes nothing. */
export function positionAt(menus: readonly Menu[], menu: Menu, target: Menu, zone: Zone): Place | undefined {
  const parentId = zone === 'inside' ? target.id : target.parentId;
  if (target.id === menu.id || !fits(menus, menu.id, parentId)) return undefined;
  const others = below(menus, parentId).filter(({ id }) => id !== menu.id);
  const at = others.findIndex(({ id }) => id === target.id);
  const position = zone === 'inside' ? others.length : zone === 'before' ? at : at + 1;
  return parentId === menu.parentId && position === menu.position ? undefined : { parentId, position };
}
