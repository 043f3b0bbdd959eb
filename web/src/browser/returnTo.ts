const key = 'interlock.returnTo';

/** Stores, for this tab, the page to return to after a visit to another site. */
export function keepPlace(place = location.pathname + location.search + location.hash): void {
  try {
    sessionStorage.setItem(key, place);
  } catch {
    // The user returns to the first page.
  }
}

/** Returns the stored page and deletes it. Returns the first page if none is stored or if it would leave this site. */
export function takePlace(): string {
  try {
    const place = sessionStorage.getItem(key) ?? '/';
    sessionStorage.removeItem(key);
    return isPlace(place) ? place : '/';
  } catch {
    return '/';
  }
}

/** Whether an address is a page of this site, however browsers interpret slashes. */
const isPlace = (place: string): boolean => /^\/(?![/\\])/.test(place) && new URL(place, location.origin).origin === location.origin;
