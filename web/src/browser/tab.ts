import { randomId } from './id';

const storedAs = 'interlock.tab';

/**
 * Tells this tab from the others of the browser. It survives a reload. While the page
 * lives its id is kept nowhere, so that a copy of the tab, which inherits what the tab
 * stored, gets an id of its own.
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

/** Storage can be forbidden; the tab is then another one after a reload. */
function attempt<T>(what: () => T): T | null {
  try {
    return what();
  } catch {
    return null;
  }
}
