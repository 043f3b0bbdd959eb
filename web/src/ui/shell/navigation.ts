import type { Menu } from '@/api';
import type { LocalText } from '@/i18n';
import { isIcon, type IconName } from '../Icon';
import { navigationGroups, type NavigationGroup, type PageInfo, type Waiting } from '../page';
import { shellMessages } from './messages';

/** A navigation entry, or a group of entries. */
export interface NavigationNode {
  id: string;
  title: LocalText;
  icon?: IconName;
  /** A path of this admin, or an external URL; undefined for a group. */
  to?: string;
  waiting?: Waiting;
  below: NavigationNode[];
}

interface Page {
  to: string;
  page: PageInfo;
}

const groupTitle = (group: NavigationGroup): LocalText => ({ en: shellMessages.en[group], zh: shellMessages.zh[group] });

/** The title of a menu. Titles of the default groups are translated; all others are shown as entered. */
export function titleOf(title: string): LocalText {
  const known = navigationGroups.find((group) => shellMessages.en[group] === title);
  return known === undefined ? { en: title, zh: title } : groupTitle(known);
}

/** Returns the path without the query, the fragment, and a trailing slash. */
export const addressOf = (path: string): string => path.replace(/[?#].*$/, '').replace(/(.)\/$/, '$1');

/** Returns the page that a menu links to; undefined if this admin has no such page. */
export const pageAt = (path: string, pages: readonly Page[]): PageInfo | undefined => pages.find(({ to }) => addressOf(to) === addressOf(path))?.page;

/** Whether an address leads to another site. */
export const isElsewhere = (to: string): boolean => !to.startsWith('/');

/**
 * Builds the navigation from menus. It contains each menu that is visible and that the user may
 * open, if all its parents are in the navigation too. Groups without entries are omitted. A user
 * who may read all menus also receives menus outside their navigation, so the filter is needed.
 */
export function navigationFrom(menus: readonly Menu[], pages: readonly Page[], may: (permission: string | undefined) => boolean): NavigationNode[] {
  const below = (parent: number | null): NavigationNode[] =>
    menus
      .filter(({ parentId, hidden, permission }) => parentId === parent && !hidden && may(permission === '' ? undefined : permission))
      .flatMap((menu) => {
        const page = pageAt(menu.path, pages);
        if (!may(page?.permission)) return [];
        const node: NavigationNode = {
          id: String(menu.id),
          title: menu.title === '' ? (page?.title ?? titleOf(menu.path)) : titleOf(menu.title),
          icon: isIcon(menu.icon) ? menu.icon : page?.navigation?.icon,
          to: menu.path === '' ? undefined : menu.path,
          waiting: page?.navigation?.waiting,
          below: below(menu.id),
        };
        return node.to === undefined && node.below.length === 0 ? [] : [node];
      });
  return below(null);
}

/** Builds the default navigation from the pages. */
export function defaultNavigation(entries: readonly { to: string; page: PageInfo & { navigation: NonNullable<PageInfo['navigation']> } }[]): NavigationNode[] {
  return navigationGroups
    .map((group) => ({
      id: group,
      title: groupTitle(group),
      below: entries
        .filter(({ page }) => page.navigation.group === group)
        .map(({ to, page }) => ({ id: to, title: page.title, icon: page.navigation.icon, to, waiting: page.navigation.waiting, below: [] })),
    }))
    .filter(({ below }) => below.length > 0);
}

/** A part of the navigation: a group with a heading, or top-level entries. */
export interface NavigationPart {
  heading?: NavigationNode;
  entries: NavigationNode[];
}

export function partsOf(nodes: readonly NavigationNode[]): NavigationPart[] {
  const parts: NavigationPart[] = [];
  for (const node of nodes) {
    const last = parts.at(-1);
    if (node.to === undefined) parts.push({ heading: node, entries: node.below });
    else if (last !== undefined && last.heading === undefined) last.entries.push(node);
    else parts.push({ entries: [node] });
  }
  return parts;
}
