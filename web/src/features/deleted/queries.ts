import { queryOptions } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { readEntriesOf } from '@/features/audit/queries';
import { readConfig } from '@/features/configs/queries';
import { readItem } from '@/features/items/queries';
import type { ListPage, TableSearch } from '@/ui/table';
import { startOf } from '@/ui/table';
import { actionsOf, deedsOf, isAgain, kinds, type Deed, type Kind } from './kinds';

export interface DeletedSearch extends TableSearch {
  kind?: Kind;
  /** The path of what was changed, as the audit log names it. */
  resource?: string;
  /** The id or the name of who deleted it. */
  actor?: string;
  /** The first day, where the browser is. */
  from?: string;
  /** The last day, itself included. */
  to?: string;
  /** The record that is open: its entry in the log, and its path, for one entry may be of many. */
  open?: string;
}

/** A record that was deleted, and what was made since that is called so. */
export interface Deleted extends Deed {
  again: Deed | undefined;
}

/** So many of the newest records that were made are looked through for what is there again. */
const mostMade = 200;

/** Names a row: one entry of the log may have deleted many. */
export const rowId = ({ entry, path }: Deed): string => `${entry.id}.${path}`;

/** One page of what was deleted, newest first, by the audit log. */
export async function readDeleted({ kind, from, to, ...search }: DeletedSearch, signal?: AbortSignal): Promise<ListPage<Deleted>> {
  const asked = kind === undefined ? kinds : [kind];
  const page = await readEntriesOf({ ...search, action: actionsOf(asked, 'delete'), sort: '-id', from: startOf(from), to: startOf(to, 1) }, signal);
  const gone = page.items.flatMap((entry) => deedsOf(entry, 'delete'));
  const oldest = gone.at(-1)?.entry.createdTime;
  if (oldest === undefined) return { ...page, items: [] };
  const made = await madeSince(asked, oldest, signal);
  return {
    ...page,
    items: gone.map((deed) => ({ ...deed, again: made.find((one) => isAgain(deed, one)) })),
    totalIsExact: page.totalIsExact && kind !== undefined && kind !== 'configs',
  };
}

async function madeSince(asked: readonly Kind[], from: string, signal: AbortSignal | undefined): Promise<Deed[]> {
  const { items } = await readEntriesOf({ action: actionsOf(asked, 'create'), from, sort: '-id', limit: mostMade }, signal);
  return items.flatMap((entry) => deedsOf(entry, 'create'));
}

/** What is there in the place of a deleted record: who made it, where that is known. */
export interface Again {
  path: string;
  made: Deed | undefined;
}

/** Looks now whether a record is there again; null where it is not. It is looked for again when others change its kind. */
export function whatIsThere(deed: Deed) {
  return queryOptions({
    queryKey: [deed.kind, 'list', 'deleted', rowId(deed)],
    queryFn: async ({ signal }): Promise<Again | null> => {
      const made = (await madeSince([deed.kind], deed.entry.createdTime, signal)).find((one) => isAgain(deed, one));
      // What is called by its key is asked for itself: an import makes many under one entry.
      if (deed.kind === 'configs') return (await isThere(readConfig(deed.record, signal))) ? { path: deed.path, made } : null;
      if (deed.kind === 'items') return (await isThere(readItem(deed.record, signal))) ? { path: deed.path, made } : null;
      return made === undefined ? null : { path: made.path, made };
    },
    staleTime: 0,
  });
}

const isThere = (record: Promise<unknown>): Promise<boolean> =>
  record.then(
    () => true,
    (error: unknown) => {
      if (isProblem(error, 'not_found')) return false;
      throw error;
    },
  );
