import { removeStored, readStored, storedNames, writeStored } from './storage';
import { tab as thisTab } from './tab';

/** What somebody has begun and not finished: a form, or a write whose outcome is open. Plain data, JSON. */
export interface StoredDraft {
  /** What people call it: "New order", "checkout.tax". */
  title: string;
  /** The address at which it is gone on with. */
  page: string;
  /** When it last changed, in ms since 1970. */
  at: number;
  /** What is typed; absent for a write that nothing was typed for. */
  value?: unknown;
  /** For an edit: the version that it began from. */
  base?: unknown;
  /** The idempotency key of what is typed. */
  key?: string;
  /** What was sent under the key, until its outcome is known. */
  sent?: unknown;
  /** When that first left, in ms since 1970. */
  sentAt?: number;
  /** Slots of other tabs that it was gone on with from, one after the other: they are finished with it. */
  from?: string[];
}

/** Whose draft it is, and of what: "items/TEA", "orders/new", "orders/bulk/ship". */
export interface DraftName {
  /** Tenant and user, see ownerOf. */
  owner: string;
  scope: string;
}

export interface ListedDraft extends StoredDraft {
  scope: string;
}

const prefix = 'interlock.draft/';
/** How long after another tab removed a slot of this one it is written again, in ms: not when somebody signs out. */
const pause = 1000;

export const ownerOf = (tenant: string, userId: number): string => `${encodeURIComponent(tenant)}/${userId}`;

/**
 * The one store of what is begun and not finished. It survives a reload, a crash, the
 * end of the session and the closing of the tab.
 *
 * Each tab writes to a slot of its own, so that two tabs on one record never overwrite
 * each other; a tab that opens something goes on with its own slot, or else with the
 * newest of another tab. Each entry names the slots that it came through, so that what
 * is finished is removed from all of them, also after a reload in between. A tab that
 * still holds a slot that another one removed writes it again: only the tab in which
 * something is typed knows that it is finished.
 *
 * A crash at any point leaves the last whole entry; each is written in one step. Of a
 * finished thing this tab's slot is the last to go, so that one which breaks off there
 * leaves no older text than that.
 *
 * What is secret is never written: this tab holds it until it is closed or loads itself anew,
 * and asks before that.
 */
export class DraftStore {
  readonly #held = new Map<string, StoredDraft>();
  readonly #listeners = new Set<() => void>();
  /** How many requests of each slot are in flight from this tab. */
  readonly #inFlight = new Map<string, number>();
  /** What is secret, and all beneath it, by owner and scope. */
  readonly #secrets = new Set<string>();
  readonly #tab: string;
  #full = false;

  constructor(tab = thisTab) {
    this.#tab = tab;
    window.addEventListener('storage', this.#onStorage);
    window.addEventListener('beforeunload', (event) => {
      if (this.holdsSecrets()) event.preventDefault();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether the last thing that was to be kept had no room, or storage is forbidden. */
  readonly isFull = (): boolean => this.#full;

  /** Whether something would be lost with this tab that is written nowhere. */
  readonly holdsSecrets = (): boolean => [...this.#held.keys()].some((slot) => this.#isSecret(slot));

  /** Says whether what is begun there, and beneath it, is secret: what was written of it is removed. */
  conceal(named: DraftName, isSecret: boolean): void {
    const name = `${named.owner}/${named.scope}`;
    if (isSecret === this.#secrets.has(name)) return;
    if (!isSecret) {
      this.#secrets.delete(name);
      return;
    }
    this.#secrets.add(name);
    storedNames(`${prefix}${named.owner}/`)
      .filter((slot) => this.#isSecret(slot))
      .forEach(removeStored);
    this.#changed();
  }

  /** Looks for what was begun earlier, here or in another tab, and holds it from then on. */
  open(named: DraftName): StoredDraft | undefined {
    const own = this.#slot(named);
    const held = this.#held.get(own);
    if (held !== undefined) return held;
    const [newest] = this.#slotsOf(named).sort((a, b) => Number(b.name === own) - Number(a.name === own) || b.kept.at - a.kept.at);
    if (newest === undefined) return undefined;
    const { name, kept } = newest;
    const found = name === own ? kept : { ...kept, from: [...(kept.from ?? []), name] };
    this.#held.set(own, found);
    return found;
  }

  /** What this tab holds. */
  get(named: DraftName): StoredDraft | undefined {
    return this.#held.get(this.#slot(named));
  }

  keep(named: DraftName, kept: StoredDraft): void {
    const slot = this.#slot(named);
    const from = this.#held.get(slot)?.from;
    const entry = from === undefined ? kept : { ...kept, from };
    this.#held.set(slot, entry);
    this.#full = !this.#isSecret(slot) && !writeStored(slot, JSON.stringify(entry));
    this.#changed();
  }

  /** Whether a request of this slot is in flight from this tab, whichever component sent it. */
  isInFlight(named: DraftName): boolean {
    return this.#inFlight.has(this.#slot(named));
  }

  /** Marks a request of this slot as in flight until the returned function is called. */
  sending(named: DraftName): () => void {
    const slot = this.#slot(named);
    this.#inFlight.set(slot, (this.#inFlight.get(slot) ?? 0) + 1);
    this.#changed();
    return () => {
      const left = (this.#inFlight.get(slot) ?? 0) - 1;
      if (left > 0) this.#inFlight.set(slot, left);
      else this.#inFlight.delete(slot);
      this.#changed();
    };
  }

  /** It is finished, or not wanted any more. */
  drop(named: DraftName): void {
    const slot = this.#slot(named);
    const held = this.#held.get(slot);
    if (held === undefined) return;
    this.#held.delete(slot);
    held.from?.forEach(removeStored);
    removeStored(slot);
    this.#full = false;
    this.#changed();
  }

  /** Everything that somebody has begun, in whatever tab, newest first; of one thing the newest. */
  list(owner: string): ListedDraft[] {
    const newest = new Map<string, ListedDraft>();
    const all = `${prefix}${owner}/`;
    const secrets = [...this.#held.keys()].filter((name) => name.startsWith(all) && this.#isSecret(name));
    for (const name of [...storedNames(all), ...secrets]) {
      const kept = this.#isSecret(name) ? this.#held.get(name) : read(name);
      const scope = scopeOf(name);
      if (kept !== undefined && kept.at > (newest.get(scope)?.at ?? 0)) newest.set(scope, { ...kept, scope });
    }
    return [...newest.values()].sort((a, b) => b.at - a.at);
  }

  /** Removes a thing from every tab's slot, unless a request of it is in flight from this tab. */
  remove(named: DraftName): void {
    if (this.isInFlight(named)) return;
    this.#slotsOf(named).forEach(({ name }) => removeStored(name));
    this.#held.delete(this.#slot(named));
    this.#changed();
  }

  /** Removes all that is somebody's, when they sign out. */
  clear(owner: string): void {
    const all = `${prefix}${owner}/`;
    storedNames(all).forEach(removeStored);
    [...this.#held.keys()].filter((name) => name.startsWith(all)).forEach((name) => this.#held.delete(name));
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

  #slotsOf({ owner, scope }: DraftName): { name: string; kept: StoredDraft }[] {
    return storedNames(`${prefix}${owner}/`).flatMap((name) => {
      const kept = scopeOf(name) === scope ? read(name) : undefined;
      return kept === undefined ? [] : [{ name, kept }];
    });
  }

  readonly #onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === null || !key.startsWith(prefix)) return;
    if (newValue === null && this.#held.has(key)) {
      setTimeout(() => {
        const held = this.#held.get(key);
        if (held !== undefined && !this.#isSecret(key) && readStored(key) === null) writeStored(key, JSON.stringify(held));
      }, pause);
    }
    this.#changed();
  };

  #changed(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

/** interlock.draft/<tenant>/<user>/<tab>/<scope>, where only the scope may hold slashes. */
function scopeOf(name: string): string {
  return name.split('/').slice(4).join('/');
}

function read(name: string): StoredDraft | undefined {
  try {
    const kept = JSON.parse(readStored(name) ?? 'null') as StoredDraft | null;
    return typeof kept?.at === 'number' ? kept : undefined;
  } catch {
    return undefined;
  }
}

export const drafts = new DraftStore();
