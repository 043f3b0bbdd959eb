import type { Overview } from '@/api';
import type { LocalText } from '@/i18n';
import type { IconName } from './Icon';

export const navigationGroups = ['operate', 'sell', 'govern', 'inspect'] as const;
export type NavigationGroup = (typeof navigationGroups)[number];

/** How many wait behind an entry of the navigation; undefined where that may not be known. */
export type Waiting = (overview: Overview) => number | undefined;

/**
 * What a page says of itself, as the staticData of its route. The navigation, the
 * search and the title of the window are made from it, so that no list of pages has
 * to be kept.
 */
export interface PageInfo {
  title: LocalText;
  /** Without this permission the page is not offered, and says so when opened. */
  permission?: string;
  /** The search offers it by its name, though it has no entry in the navigation. */
  inSearch?: boolean;
  /** Its entry in the navigation; pages of a single record have none. */
  navigation?: { group: NavigationGroup; /** Small numbers stand first. */ order: number; icon: IconName; waiting?: Waiting };
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    page?: PageInfo;
    /** Is for who is not signed in, and stands outside the shell. */
    isOpen?: boolean;
  }
}
