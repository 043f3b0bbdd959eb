import type { Menu } from './queries';

/** So many levels of menus the service takes. */
const mostLevels = 4;

/** Where a menu is to stand. */
export interface Place {
  parentId: number | null;
  /** Among its siblings, itself left out. */
  position: number;
}

/** A step of a menu by a key: among its siblings, below the one before it, or out beside its parent. */
export type Step = 'up' | 'down' | 'in' | 'out';

/** Where a menu is dropped on another one. */
export type Zone = 'before' | 'inside' | 'after';

/** A menu as the tree shows it. */
export interface Row {
  menu: Menu;
  /** From 1. */
  level: number;
  /** How many siblings it has, itself among them. */
  siblings: number;
}

const below = (menus: readonly Menu[], parentId: number | null): Menu[] => menus.filter((menu) => menu.parentId === parentId);

const byId = (menus: readonly Menu[], id: number | null): Menu | undefined => menus.find((menu) => menu.id === id);

function levelOf(menus: readonly Menu[], id: number | null): number {
  const menu = byId(menus, id);
  return menu === undefined ? 0 : 1 + levelOf(menus, menu.parentId);
}

/** How many levels a menu and what is below it take. */
const heightOf = (menus: readonly Menu[], id: number): number => 1 + Math.max(0, ...below(menus, id).map((menu) => heightOf(menus, menu.id)));

const isWithin = (menus: readonly Menu[], id: number | null, above: number): boolean =>
  id !== null && (id === above || isWithin(menus, byId(menus, id)?.parentId ?? null, above));

/** Whether a menu can be below another one: not below itself, and not too deep. */
const fits = (menus: readonly Menu[], id: number, parentId: number | null): boolean =>
  !isWithin(menus, parentId, id) && levelOf(menus, parentId) + heightOf(menus, id) <= mostLevels;

/** Whether another menu can be created below one. */
export const takesMore = (menus: readonly Menu[], id: number): boolean => levelOf(menus, id) < mostLevels;

export function rowsOf(menus: readonly Menu[]): Row[] {
  return menus.map((menu) => ({ menu, level: levelOf(menus, menu.id), siblings: below(menus, menu.parentId).length }));
}

/** Where a step leads; undefined where it leads nowhere. */
export function placeAfter(menus: readonly Menu[], menu: Menu, step: Step): Place | undefined {
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

/** Where a menu comes to stand that is dropped on another one; undefined where it cannot, or stands there already. */
export function placeAt(menus: readonly Menu[], menu: Menu, target: Menu, zone: Zone): Place | undefined {
  const parentId = zone === 'inside' ? target.id : target.parentId;
  if (target.id === menu.id || !fits(menus, menu.id, parentId)) return undefined;
  const others = below(menus, parentId).filter(({ id }) => id !== menu.id);
  const at = others.findIndex(({ id }) => id === target.id);
  const position = zone === 'inside' ? others.length : zone === 'before' ? at : at + 1;
  return parentId === menu.parentId && position === menu.position ? undefined : { parentId, position };
}
