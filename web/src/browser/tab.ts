import { randomId } from './id';

const storedAs = 'interlock.tab';

/**
 * The id of this tab. It survives a reload. While the page is open the id is not stored, so that a
 * duplicated tab, which inherits the session storage, gets a new id.
 */
export const tab = taken() ?? randomId();

window.addEventListener('pagehide', () => attempt(() => sessionStorage.setItem(storedAs, tab)));
window.addEventListener('pageshow', () => taken());

function taken(): string | null {
  return attempt(() => {
    const id = sessionStorage.getItem(storedAs);
    sessionStorage.removeItem(storedAs);
    return id;
  });
}

/** Returns null if storage is forbidden. The tab then gets a new id after a reload. */
function attempt<T>(what: () => T): T | null {
  try {
    return what();
  } catch {
    return null;
  }
}
