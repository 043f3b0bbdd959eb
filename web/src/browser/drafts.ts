import { removeStored, readStored, storedNames, writeStored } from './storage';
import { tab as thisTab } from './tab';

/** A form with unsaved input, or a write with an unknown outcome. Plain data, JSON. */
export interface StoredDraft {
  /** The displayed name, such as "New order" or "checkout.tax". */
  title: string;
  /** The URL of the page on which the user can continue the draft. */
  page: string;
  /** The time of the last change, in ms since 1970. */
  at: number;
  /** The input; absent for a write without input. */
  value?: unknown;
  /** The base version of an edit. */
  base?: unknown;
  /** The idempotency key of the input. */
  key?: string;
  /** The request under the key, until its outcome is known. */
  sent?: unknown;
  /** When the request was first sent, in ms since 1970. */
  sentAt?: number;
  /** The slots of other tabs from which this draft was restored, oldest first. They are deleted when the draft is finished. */
  from?: string[];
}

/** The owner and the scope of a draft. Scopes are, for example, "items/TEA", "orders/new" and "orders/bulk/ship". */
export interface DraftName {
  /** Tenant and user, see ownerOf. */
  owner: string;
  scope: string;
}

export interface ListedDraft extends StoredDraft {
  scope: string;
}

const prefix = 'interlock.draft/';
/**
 * The delay, in ms, before a slot that another tab deleted is stored again. If that tab signed out,
 * this tab has deleted its drafts too by then, and stores nothing.
 */
const pause = 1000;

export const ownerOf = (tenant: string, userId: number): string => `${encodeURIComponent(tenant)}/${userId}`;

/**
 * The store of unsaved input and unsettled writes. It survives a reload, a crash, the end of the
 * session and the closing of the tab.
 *
 * Each tab writes a separate slot, so that two tabs on one record never overwrite each other. A tab
 * restores its slot, or else the newest slot of another tab. Each entry lists the slots from which
 * it was restored; finishing the entry deletes all of them, also after a reload. If another tab
 * deletes a slot that this tab has in memory, this tab stores the slot again: only the tab with the
 * input decides when it is finished.
 *
 * Each entry is written in one step, so that a crash leaves the last complete one. The slot of
 * this tab is deleted last, so that an interruption leaves the newest text.
 *
 * Secret input is never stored: it stays in the memory of this tab, which prompts before it is
 * closed or reloaded.
 */
export class DraftStore {
  readonly #entries = new Map<string, StoredDraft>();
  readonly #listeners = new Set<() => void>();
  /** The number of requests in flight from this tab, by slot. */
  readonly #inFlight = new Map<string, number>();
  /** The secret scopes, including all scopes below them, by owner and scope. */
  readonly #secrets = new Set<string>();
  readonly #tab: string;
  #full = false;

  constructor(tab = thisTab) {
    this.#tab = tab;
    window.addEventListener('storage', this.#onStorage);
    window.addEventListener('beforeunload', (event) => {
      if (this.hasSecrets()) event.preventDefault();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether the last write failed because storage is full or forbidden. */
  readonly isFull = (): boolean => this.#full;

  /** Whether closing this tab would lose input that is not stored. */
  readonly hasSecrets = (): boolean => [...this.#entries.keys()].some((slot) => this.#isSecret(slot));

  /** Sets whether a scope and all scopes below it are secret. Stored drafts of secret scopes are deleted. */
  setSecret({ owner, scope }: DraftName, isSecret: boolean): void {
    const name = `${owner}/${scope}`;
    if (isSecret === this.#secrets.has(name)) return;
    if (!isSecret) {
      this.#secrets.delete(name);
      return;
    }
    this.#secrets.add(name);
    storedNames(`${prefix}${owner}/`)
      .filter((slot) => this.#isSecret(slot))
      .forEach(removeStored);
    this.#changed();
  }

  /** Restores the draft of an earlier visit or another tab into the memory of this tab. */
  open(name: DraftName): StoredDraft | undefined {
    const own = this.#slot(name);
    const entry = this.#entries.get(own);
    if (entry !== undefined) return entry;
    const [newest] = this.#slotsOf(name).sort((a, b) => Number(b.name === own) - Number(a.name === own) || b.stored.at - a.stored.at);
    if (newest === undefined) return undefined;
    const { stored } = newest;
    const found = newest.name === own ? stored : { ...stored, from: [...(stored.from ?? []), newest.name] };
    this.#entries.set(own, found);
    return found;
  }

  /** The draft in the memory of this tab. */
  get(name: DraftName): StoredDraft | undefined {
    return this.#entries.get(this.#slot(name));
  }

  store(name: DraftName, stored: StoredDraft): void {
    const slot = this.#slot(name);
    const from = this.#entries.get(slot)?.from;
    const entry = from === undefined ? stored : { ...stored, from };
    this.#entries.set(slot, entry);
    this.#full = !this.#isSecret(slot) && !writeStored(slot, JSON.stringify(entry));
    this.#changed();
  }

  /** Whether a request of this slot is in flight from this tab, from any component. */
  isInFlight(name: DraftName): boolean {
    return this.#inFlight.has(this.#slot(name));
  }

  /** Marks a request of this slot as in flight until the returned function is called. */
  sending(name: DraftName): () => void {
    const slot = this.#slot(name);
    this.#inFlight.set(slot, (this.#inFlight.get(slot) ?? 0) + 1);
    this.#changed();
    return () => {
      const left = (this.#inFlight.get(slot) ?? 0) - 1;
      if (left > 0) this.#inFlight.set(slot, left);
      else this.#inFlight.delete(slot);
      this.#changed();
    };
  }

  /** Deletes a finished or discarded draft. */
  drop(name: DraftName): void {
    const slot = this.#slot(name);
    const entry = this.#entries.get(slot);
    if (entry === undefined) return;
    this.#entries.delete(slot);
    entry.from?.forEach(removeStored);
    removeStored(slot);
    this.#full = false;
    this.#changed();
  }

  /** The drafts of a user in all tabs, newest first. For each scope it contains only the newest draft. */
  list(owner: string): ListedDraft[] {
    const newest = new Map<string, ListedDraft>();
    const all = `${prefix}${owner}/`;
    const secrets = [...this.#entries.keys()].filter((name) => name.startsWith(all) && this.#isSecret(name));
    for (const name of [...storedNames(all), ...secrets]) {
      const stored = this.#isSecret(name) ? this.#entries.get(name) : read(name);
      const scope = scopeOf(name);
      if (stored !== undefined && stored.at > (newest.get(scope)?.at ?? 0)) newest.set(scope, { ...stored, scope });
    }
    return [...newest.values()].sort((a, b) => b.at - a.at);
  }

  /** Deletes a draft in all tabs, unless its request is in flight from this tab. */
  remove(name: DraftName): void {
    if (this.isInFlight(name)) return;
    this.#slotsOf(name).forEach((slot) => removeStored(slot.name));
    this.#entries.delete(this.#slot(name));
    this.#changed();
  }

  /** Deletes all drafts of a user on sign-out. */
  clear(owner: string): void {
    const all = `${prefix}${owner}/`;
    storedNames(all).forEach(removeStored);
    [...this.#entries.keys()].filter((name) => name.startsWith(all)).forEach((name) => this.#entries.delete(name));
    this.#full = false;
    this.#changed();
  }

  #isSecret(slot: string): boolean {
    const owner = slot.slice(prefix.length).split('/').slice(0, 2).join('/');
    const scope = scopeOf(slot);
    return [...this.#secrets].some((name) => `${owner}/${scope}` === name || `${owner}/${scope}`.startsWith(`${name}/`));
  }

  #slot({ owner, scope }: DraftName): string {
    return `${prefix}${owner}/${this.#tab}/${scope}`;
  }

  #slotsOf({ owner, scope }: DraftName): { name: string; stored: StoredDraft }[] {
    return storedNames(`${prefix}${owner}/`).flatMap((name) => {
      const stored = scopeOf(name) === scope ? read(name) : undefined;
      return stored === undefined ? [] : [{ name, stored }];
    });
  }

  readonly #onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === null || !key.startsWith(prefix)) return;
    if (newValue === null && this.#entries.has(key)) {
      setTimeout(() => {
        const entry = this.#entries.get(key);
        if (entry !== undefined && !this.#isSecret(key) && readStored(key) === null) writeStored(key, JSON.stringify(entry));
      }, pause);
    }
    this.#changed();
  };

  #changed(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

/** Returns the scope in a storage key interlock.draft/<tenant>/<user>/<tab>/<scope>. Only the scope may contain slashes. */
function scopeOf(name: string): string {
  return name.split('/').slice(4).join('/');
}

function read(name: string): StoredDraft | undefined {
  try {
    const stored = JSON.parse(readStored(name) ?? 'null') as StoredDraft | null;
    return typeof stored?.at === 'number' ? stored : undefined;
  } catch {
    return undefined;
  }
}

export const drafts = new DraftStore();
