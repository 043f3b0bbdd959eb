import { useState } from 'react';
import { useSession } from '@/api';
import { ownerOf } from '@/browser/drafts';
import { recall, remember } from '@/browser/storage';
import { viewMembers } from './search';

/** A list as somebody likes to look at it: its filters, order and page size, under a name. */
export interface SavedView {
  name: string;
  search: Readonly<Record<string, unknown>>;
}

/** What of an address a view keeps: not the page, nor what is open beside the list. */
export const keptOf = (search: object): SavedView['search'] =>
  Object.fromEntries(
    Object.entries(search).filter(([name, value]: [string, unknown]) => name !== 'cursor' && !viewMembers.includes(name) && value !== undefined),
  );

/** The views of a table that one has saved in this browser, and how they are changed. One of a name there is once. */
export function useSavedViews(table: string) {
  const state = useSession();
  const owner = 'session' in state ? ownerOf(state.session.tenant, state.session.user.id) : '';
  const storedAs = `interlock.views.${owner}.${table}`;
  const [views, setViews] = useState<readonly SavedView[]>(() => read(storedAs));
  const put = (next: readonly SavedView[]) => {
    remember(storedAs, JSON.stringify(next));
    setViews(next);
  };
  const without = (name: string) => views.filter((view) => view.name !== name);
  return {
    views,
    save: (name: string, search: object) => put([...without(name), { name, search: keptOf(search) }]),
    remove: (name: string) => put(without(name)),
  };
}

function read(storedAs: string): SavedView[] {
  try {
    const kept = JSON.parse(recall(storedAs) ?? '[]') as unknown;
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (one: unknown): one is SavedView =>
  typeof one === 'object' && one !== null && 'name' in one && typeof one.name === 'string' && 'search' in one && typeof one.search === 'object';
