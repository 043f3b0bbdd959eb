const key = 'interlock.returnTo';

/** Stores, for this tab, the page to return to after a visit to another site. */
export function storeReturnPath(place = location.pathname + location.search + location.hash): void {
  try {
    sessionStorage.setItem(key, place);
  } catch {
    // If storage is forbidden, the user returns to the first page.
  }
}

/** Returns the stored page and deletes it. Returns the first page if none is stored or if it would leave this site. */
export function takeReturnPath(): string {
  try {
    const place = sessionStorage.getItem(key) ?? '/';
    sessionStorage.removeItem(key);
    return isLocalPath(place) ? place : '/';
  } catch {
    return '/';
  }
}

/**
 * Whether a path is a page of this site. It rejects paths with two leading slashes or backslashes,
 * which browsers resolve to another site.
 */
const isLocalPath = (place: string): boolean => /^\/(?![/\\])/.test(place) && new URL(place, location.origin).origin === location.origin;
