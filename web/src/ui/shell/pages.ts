import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState, type StaticDataRouteOption } from '@tanstack/react-router';
import { useMemo } from 'react';
import { navigation, useMay, useOwner, type Menu } from '@/api';
import { useLocalText } from '@/i18n';
import { navigationGroups, type PageInfo } from '../page';
import { addressOf, navigationFrom, defaultNavigation, pageAt, titleOf, type NavigationNode } from './navigation';

/** The members of a route that this file uses. The type of the router lists every page, which is too specific here. */
interface AnyPage {
  fullPath: string;
  options: { staticData?: StaticDataRouteOption };
}

export interface Entry {
  to: string;
  page: PageInfo & { navigation: NonNullable<PageInfo['navigation']> };
}

/** Returns every page with its path. */
function usePages(): { to: string; page: PageInfo }[] {
  const router = useRouter();
  return useMemo(
    () =>
      Object.values(router.routesByPath as unknown as Readonly<Record<string, AnyPage>>).flatMap(({ fullPath, options }) => {
        const page = options.staticData?.page;
        return page === undefined ? [] : [{ to: fullPath, page }];
      }),
    [router],
  );
}

/** The pages that the user may open, in the order of the navigation. */
export function useEntries(): Entry[] {
  const pages = usePages();
  const may = useMay();
  const entries = useMemo(
    () =>
      pages
        .flatMap<Entry>(({ to, page }) => (page.navigation === undefined ? [] : [{ to, page: { ...page, navigation: page.navigation } }]))
        .sort(
          (a, b) =>
            navigationGroups.indexOf(a.page.navigation.group) - navigationGroups.indexOf(b.page.navigation.group) ||
            a.page.navigation.order - b.page.navigation.order,
        ),
    [pages],
  );
  return entries.filter(({ page }) => may(page.permission));
}

/** The pages that the search lists: those of the navigation, then further pages. */
export function useSearchable(): { to: string; page: PageInfo }[] {
  const entries = useEntries();
  const others = usePages();
  const may = useMay();
  return [...entries, ...others.filter(({ page }) => page.inSearch === true && may(page.permission))];
}

/**
 * The navigation from the tenant's menus. The default navigation is shown until the menus are
 * loaded, if they cannot be read, and if the tenant has none.
 */
export function useNavigation(): NavigationNode[] {
  const pages = usePages();
  const entries = useEntries();
  const may = useMay();
  const { data: menus } = useQuery(navigation(useOwner()));
  return menus === undefined || menus.length === 0 ? defaultNavigation(entries) : navigationFrom(menus, pages, may);
}

/** Returns the page of a path, if this admin has it. */
export function usePageAt(): (path: string) => PageInfo | undefined {
  const pages = usePages();
  return (path) => pageAt(path, pages);
}

/** The paths of the pages that the navigation can show. */
export const usePagePaths = (): string[] => useEntries().map(({ to }) => addressOf(to));

/** Returns the label of a menu in the current language. */
export function useMenuName(): (menu: Pick<Menu, 'title' | 'path'>) => string {
  const at = usePageAt();
  const text = useLocalText();
  return ({ title, path }) => text(title !== '' ? titleOf(title) : (at(path)?.title ?? titleOf(path)));
}

/** The description of the open page. */
export function useOpenPage(): PageInfo | undefined {
  return useRouterState({ select: (state) => state.matches.findLast((match) => match.staticData.page !== undefined)?.staticData.page });
}
