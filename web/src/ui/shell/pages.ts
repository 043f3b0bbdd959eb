import { useRouter, useRouterState, type StaticDataRouteOption } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useMay } from '@/api';
import { navigationGroups, type NavigationGroup, type PageInfo } from '../page';

/** What of a route is looked at here; its own type names every page. */
interface AnyPage {
  fullPath: string;
  options: { staticData?: StaticDataRouteOption };
}

export interface Entry {
  to: string;
  page: PageInfo & { navigation: NonNullable<PageInfo['navigation']> };
}

/** Every page and its address. */
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

/** The pages that the search offers: those of the navigation, and after them what lies elsewhere. */
export function useSearchable(): { to: string; page: PageInfo }[] {
  const entries = useEntries();
  const others = usePages();
  const may = useMay();
  return [...entries, ...others.filter(({ page }) => page.inSearch === true && may(page.permission))];
}

export function groupsOf(entries: Entry[]): { group: NavigationGroup; entries: Entry[] }[] {
  return navigationGroups
    .map((group) => ({ group, entries: entries.filter(({ page }) => page.navigation.group === group) }))
    .filter(({ entries: found }) => found.length > 0);
}

/** What the page that is open says of itself. */
export function useOpenPage(): PageInfo | undefined {
  return useRouterState({ select: (state) => state.matches.findLast((match) => match.staticData.page !== undefined)?.staticData.page });
}
