import { queryOptions } from '@tanstack/react-query';
import { isProblem } from '@/api';
import { readEntriesOf } from '@/features/audit/queries';
import { readConfig } from '@/features/configs/queries';
import { readItem } from '@/features/items/queries';
import type { ListPage, TableSearch } from '@/ui/table';
import { startOf } from '@/ui/table';
import { actionsOf, actionsIn, isAgain, kinds, type Deed, type Kind } from './kinds';

export interface DeletedSearch extends TableSearch {
  kind?: Kind;
  /** The path of the record, as in the audit log. */
  resource?: string;
  /** The id or the name of the user who deleted it. */
  actor?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
  /** The id of the open row: its audit entry and its path, because one entry can contain many records. */
  open?: string;
}

/** A deleted record, and a record that was created later under the same name. */
export interface Deleted extends Deed {
  again: Deed | undefined;
}

/** The maximum number of recent creations that are checked for a replacement. */
const maxCreations = 200;

/** The id of a row: one entry of the log can contain many deletions. */
export const rowId = ({ entry, path }: Deed): string => `${entry.id}.${path}`;

/** One page of deleted records, newest first, from the audit log. */
export async function readDeleted({ kind, from, to, ...search }: DeletedSearch, signal?: AbortSignal): Promise<ListPage<Deleted>> {
  const requested = kind === undefined ? kinds : [kind];
  const page = await readEntriesOf({ ...search, action: actionsOf(requested, 'delete'), sort: '-id', from: startOf(from), to: startOf(to, 1) }, signal);
  const gone = page.items.flatMap((entry) => actionsIn(entry, 'delete'));
  const oldest = gone.at(-1)?.entry.createdTime;
  if (oldest === undefined) return { ...page, items: [] };
  const made = await creationsSince(requested, oldest, signal);
  return {
    ...page,
    items: gone.map((deed) => ({ ...deed, again: made.find((one) => isAgain(deed, one)) })),
    totalIsExact: page.totalIsExact && kind !== undefined && kind !== 'configs',
  };
}

async function creationsSince(requested: readonly Kind[], from: string, signal: AbortSignal | undefined): Promise<Deed[]> {
  const { items } = await readEntriesOf({ action: actionsOf(requested, 'create'), from, sort: '-id', limit: maxCreations }, signal);
  return items.flatMap((entry) => actionsIn(entry, 'create'));
}

/** A record that exists again, and its author if known. */
export interface Again {
  path: string;
  made: Deed | undefined;
}

/** Checks whether a record exists again; null if not. The query is invalidated when the service announces a change of that kind. */
export function findCurrent(deed: Deed) {
  return queryOptions({
    queryKey: [deed.kind, 'list', 'deleted', rowId(deed)],
    queryFn: async ({ signal }): Promise<Again | null> => {
      const made = (await creationsSince([deed.kind], deed.entry.createdTime, signal)).find((one) => isAgain(deed, one));
      // Records with a key are requested directly: an import creates many configs under one audit entry.
      if (deed.kind === 'configs') return (await exists(readConfig(deed.record, signal))) ? { path: deed.path, made } : null;
      if (deed.kind === 'items') return (await exists(readItem(deed.record, signal))) ? { path: deed.path, made } : null;
      return made === undefined ? null : { path: made.path, made };
    },
    staleTime: 0,
  });
}

const exists = (record: Promise<unknown>): Promise<boolean> =>
  record.then(
    () => true,
    (error: unknown) => {
      if (isProblem(error, 'not_found')) return false;
      throw error;
    },
  );
