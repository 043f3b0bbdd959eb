import { useState } from 'react';
import { useOwner } from '@/api';
import { readStored, writeStored } from '@/browser/storage';
import { viewMembers } from './search';

/** A saved view of a list: its filters, order and page size, under a name. */
export interface SavedView {
  name: string;
  search: Readonly<Record<string, unknown>>;
}

/** The search parameters that a view stores: all except the page and the open panels. */
const storedViewOf = (search: object): SavedView['search'] =>
  Object.fromEntries(
    Object.entries(search).filter(([name, value]: [string, unknown]) => name !== 'cursor' && !viewMembers.includes(name) && value !== undefined),
  );

/** The views of a table that the user has saved in this browser, and their setters. Names are unique. */
export function useSavedViews(table: string) {
  const storedAs = `interlock.views.${useOwner()}.${table}`;
  const [views, setViews] = useState<readonly SavedView[]>(() => read(storedAs));
  // Reads the storage again: another tab may have saved views since then.
  const change = (name: string, search?: object) => {
    const others = read(storedAs).filter((view) => view.name !== name);
    const next = search === undefined ? others : [...others, { name, search: storedViewOf(search) }];
    writeStored(storedAs, JSON.stringify(next));
    setViews(next);
  };
  return {
    views,
    save: (name: string, search: object) => change(name, search),
    remove: (name: string) => change(name),
  };
}

function read(storedAs: string): SavedView[] {
  try {
    const stored = JSON.parse(readStored(storedAs) ?? '[]') as unknown;
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (one: unknown): one is SavedView =>
  typeof one === 'object' && one !== null && 'name' in one && typeof one.name === 'string' && 'search' in one && typeof one.search === 'object';
