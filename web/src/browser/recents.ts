import { readStored, removeStored, writeStored } from './storage';

/** A record page that the user opened. */
export interface Recent {
  /** The path of the page. */
  to: string;
  /** The record: a name, key or number. */
  name: string;
  /** The kind of the record, in each language. */
  kind: { en: string; zh: string };
}

const storedAs = (owner: string): string => `interlock.recents/${owner}`;
const maxRecents = 12;

/** The last opened record pages of an owner, newest first. Signing out deletes them. */
export const recents = {
  list: (owner: string): Recent[] => {
    try {
      const stored = JSON.parse(readStored(storedAs(owner)) ?? '[]') as unknown;
      return Array.isArray(stored) ? stored.filter(isRecent) : [];
    } catch {
      return [];
    }
  },
  add: (owner: string, visited: Recent): void => {
    const others = recents.list(owner).filter(({ to }) => to !== visited.to);
    writeStored(storedAs(owner), JSON.stringify([visited, ...others].slice(0, maxRecents)));
  },
  clear: (owner: string): void => removeStored(storedAs(owner)),
};

function isRecent(value: unknown): value is Recent {
  const { to, name, kind } = (value ?? {}) as Partial<Record<keyof Recent, unknown>>;
  const { en, zh } = (kind ?? {}) as Partial<Record<'en' | 'zh', unknown>>;
  return [to, name, en, zh].every((text) => typeof text === 'string');
}
