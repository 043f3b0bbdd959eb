import type { Overview } from '@/api';
import type { LocalText } from '@/i18n';
import type { IconName } from './Icon';

export const navigationGroups = ['operate', 'sell', 'govern', 'inspect'] as const;
export type NavigationGroup = (typeof navigationGroups)[number];

/** Returns the number of pending items on a page; undefined if the user may not read it. */
export type Waiting = (overview: Overview) => number | undefined;

/**
 * The description of a page, as the staticData of its route. The navigation, the search and the
 * window title derive from it, so that no list of pages is needed.
 */
export interface PageInfo {
  title: LocalText;
  /**
   * The permission that the page requires. For a user without it the page is not in the navigation,
   * and its URL shows that the permission is missing.
   */
  permission?: string;
  /** The search lists the page although it is not in the navigation. */
  inSearch?: boolean;
  /** Its entry in the navigation; pages of a single record have none. */
  navigation?: {
    group: NavigationGroup;
    /** Ascending. */ order: number;
    icon: IconName;
    /** The letter that opens the page after g. */ key?: string;
    waiting?: Waiting;
  };
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    page?: PageInfo;
    /** The page is for signed-out users and is rendered outside the shell. */
    isOpen?: boolean;
  }
}
