const key = 'interlock.returnTo';

/** Keeps, for this tab, the address that somebody leaves for another site and comes back to. */
export function keepPlace(place = location.pathname + location.search + location.hash): void {
  try {
    sessionStorage.setItem(key, place);
  } catch {
    // They come back to the first page.
  }
}

/** The address that was kept, once; the first page for none, and for one that would lead elsewhere. */
export function takePlace(): string {
  try {
    const place = sessionStorage.getItem(key) ?? '/';
    sessionStorage.removeItem(key);
    return isPlace(place) ? place : '/';
  } catch {
    return '/';
  }
}

/** Whether an address is a page of this site, however browsers read slashes. */
const isPlace = (place: string): boolean => /^\/(?![/\\])/.test(place) && new URL(place, location.origin).origin === location.origin;
