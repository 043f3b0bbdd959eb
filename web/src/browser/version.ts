import { drafts } from './drafts';

/**
 * The version of the admin in this page, and whether another version has been deployed since.
 *
 * A deployment deletes the files of the earlier version, so an open page can no longer load its
 * other chunks. Such a page reloads once; its drafts are stored by then. If the reload does not
 * help, the page stays and shows an error.
 */
const storedAs = 'interlock.reloadedFrom';
/** The shortest interval between two checks and between two reloads, in ms. */
const pause = 60_000;

const nameIn = (page: Document): string => page.querySelector('meta[name=build]')?.getAttribute('content') ?? '';

let isOutdated = false;
let checkedAt = 0;
/** Whether this page is reloading. */
let isLeaving = false;
const listeners = new Set<() => void>();

export const version = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Another version has been deployed. */
  isOutdated: (): boolean => isOutdated,
  /** Whether this page is reloading: errors about missing chunks need no message. */
  isLeaving: (): boolean => isLeaving,
};

/** Whether this page is the reload of an earlier version. Returns true once. */
export function wasUpdated(): boolean {
  const tried = triedFrom();
  if (tried === undefined || tried.from === nameIn(document)) return false;
  note(undefined);
  return true;
}

/** Checks whether another version has been deployed, at most once per interval. */
export async function checkForUpdate(): Promise<void> {
  if (isOutdated || Date.now() - checkedAt < pause || nameIn(document) === '') return;
  checkedAt = Date.now();
  try {
    const response = await fetch('/', { cache: 'no-cache' });
    if (!response.ok) return;
    const found = nameIn(new DOMParser().parseFromString(await response.text(), 'text/html'));
    if (found === '' || found === nameIn(document)) return;
    isOutdated = true;
    listeners.forEach((listener) => listener());
  } catch {
    // The service is unreachable; a later call checks again.
  }
}

/**
 * Reloads the page, or opens another one, in the current version. Returns false if a reload was
 * just tried without success or would lose input that is not stored. Several files of a missing
 * chunk fail at the same time: the first call reloads, and the others return true.
 */
export function update(address = window.location.href): boolean {
  if (isLeaving) return true;
  const from = nameIn(document);
  const tried = triedFrom();
  if (drafts.hasSecrets() || (tried?.from === from && Date.now() - tried.at < pause)) return false;
  note({ from, at: Date.now() });
  isLeaving = true;
  if (address === window.location.href) window.location.reload();
  else window.location.assign(address);
  return true;
}

/** Reloads the page on the request of the user. The browser prompts for confirmation if input would be lost. */
export function updateNow(): void {
  note({ from: nameIn(document), at: Date.now() });
  window.location.reload();
}

/** Handles chunks that fail to load because their version is no longer deployed. */
export function followUpdates(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // With the default prevented, vite does not throw: the importer gets an empty module and fails,
    // and isLeaving hides that error until the reload.
    if (update()) event.preventDefault();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void checkForUpdate();
    else if (isOutdated) update();
  });
}

interface Tried {
  from: string;
  at: number;
}

/** If storage is forbidden, nothing is stored, and the page shows the error. */
function note(tried: Tried | undefined): void {
  try {
    if (tried === undefined) sessionStorage.removeItem(storedAs);
    else sessionStorage.setItem(storedAs, JSON.stringify(tried));
  } catch {
    // Nothing was stored.
  }
}

function triedFrom(): Tried | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(storedAs) ?? 'null') as Tried | null) ?? undefined;
  } catch {
    return { from: nameIn(document), at: Date.now() };
  }
}

/** Whether a script or a style of the page failed to load. The message differs between browsers. */
export function isMissingPart(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Unable to preload CSS') ||
    (error instanceof TypeError && /module/i.test(error.message) && /(fetch|import|load)/i.test(error.message))
  );
}
