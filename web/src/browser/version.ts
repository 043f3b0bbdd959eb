import { drafts } from './drafts';

/**
 * Which version of the admin this page is, and whether another has been deployed since.
 *
 * A deployment removes the files of the version before it, so that an open page cannot
 * load its other parts any more. Such a page loads itself anew, once: what is typed is
 * kept by then. Where that does not help it stays, and says what is wrong.
 */
const storedAs = 'interlock.reloadedFrom';
/** How often it is asked and tried at most, in ms. */
const pause = 60_000;

const nameIn = (page: Document): string => page.querySelector('meta[name=build]')?.getAttribute('content') ?? '';

let isOutdated = false;
let asked = 0;
/** This page is loading itself anew. */
let isLeaving = false;
const listeners = new Set<() => void>();

export const version = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Another version has been deployed. */
  isOutdated: (): boolean => isOutdated,
  /** This page is loading itself anew: what it still misses is not worth a word. */
  isLeaving: (): boolean => isLeaving,
};

/** Whether this page is what a page of another version has loaded itself as. Says so once. */
export function wasUpdated(): boolean {
  const tried = triedFrom();
  if (tried === undefined || tried.from === nameIn(document)) return false;
  note(undefined);
  return true;
}

/** Asks whether another version has been deployed; called where that is likely, it asks rarely. */
export async function lookForUpdate(): Promise<void> {
  if (isOutdated || Date.now() - asked < pause || nameIn(document) === '') return;
  asked = Date.now();
  try {
    const response = await fetch('/', { cache: 'no-cache' });
    if (!response.ok) return;
    const found = nameIn(new DOMParser().parseFromString(await response.text(), 'text/html'));
    if (found === '' || found === nameIn(document)) return;
    isOutdated = true;
    listeners.forEach((listener) => listener());
  } catch {
    // The service is away; it is asked again later.
  }
}

/**
 * Loads the page anew, or another one, in its present version; false when that was just
 * tried and did not help, or would lose what is written nowhere. Of one part that is gone
 * several files are missing, and each asks for it: the first is heard, and the others are
 * told the same.
 */
export function update(address = window.location.href): boolean {
  if (isLeaving) return true;
  const from = nameIn(document);
  const tried = triedFrom();
  if (drafts.holdsSecrets() || (tried?.from === from && Date.now() - tried.at < pause)) return false;
  note({ from, at: Date.now() });
  isLeaving = true;
  if (address === window.location.href) window.location.reload();
  else window.location.assign(address);
  return true;
}

/** Loads the page anew because somebody says so; the browser asks first where something would be lost. */
export function updateNow(): void {
  note({ from: nameIn(document), at: Date.now() });
  window.location.reload();
}

/** A part of the page that cannot be loaded is of a version that is gone. */
export function followUpdates(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // Otherwise the error goes on to whoever wanted the part. Who is told none finds nothing in
    // the part that came, and breaks on that: the page that is shown meanwhile does not say so.
    if (update()) event.preventDefault();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void lookForUpdate();
    else if (isOutdated) update();
  });
}

interface Tried {
  from: string;
  at: number;
}

/** Where storage is forbidden nothing is noted, and the page says itself what is wrong. */
function note(tried: Tried | undefined): void {
  try {
    if (tried === undefined) sessionStorage.removeItem(storedAs);
    else sessionStorage.setItem(storedAs, JSON.stringify(tried));
  } catch {
    // It is not noted.
  }
}

function triedFrom(): Tried | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(storedAs) ?? 'null') as Tried | null) ?? undefined;
  } catch {
    return { from: nameIn(document), at: Date.now() };
  }
}

/** A script (each browser says so in words of its own) or a style of the page could not be had. */
export function isMissingPart(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.startsWith('Unable to preload CSS') ||
    (error instanceof TypeError && /module/i.test(error.message) && /(fetch|import|load)/i.test(error.message))
  );
}
