import { useEffect, useMemo, useRef, useState } from 'react';
import { useLive, type PersonName } from '@/api';
import { readAll, type List } from '../table/useList';
import type { Selection } from '../table/useSelection';
import { inParallel } from './parallel';
import type { Since, TableSource, Watched } from './action';

/** Rows of a list, as they are chosen in it. */
export interface Chosen<Row> {
  selection: Selection<Row>;
  readPage: List<Row>['readPage'];
  /** The rows as the list shows them now. */
  shown: readonly Row[];
}

interface Options<Row> {
  chosen: Chosen<Row>;
  rowId: (row: Row) => string;
  watched: Watched<Row> | undefined;
  /** A run is gone on with, which knows its rows itself. */
  isIdle: boolean;
}

/** The chosen rows, as they were when the dialog opened, and who has changed which since. */
export function useChosenRows<Row>({ chosen: { selection, readPage, shown }, rowId, watched, isIdle }: Options<Row>) {
  // What was chosen when the dialog opened; of what the list shows, as it shows it.
  const [chosen] = useState(selection);
  const [rows, setRows] = useState<readonly Row[] | undefined>(() => {
    const now = new Map(shown.map((row) => [rowId(row), row]));
    if (isIdle) return [];
    return selection.all ? undefined : selection.rows.map((row) => now.get(rowId(row)) ?? row);
  });
  const [count, setCount] = useState(0);
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    if (!chosen.all || isIdle) return undefined;
    const abort = new AbortController();
    readAll(readPage, { onCount: setCount, signal: abort.signal, wanted: (row) => !chosen.except.has(rowId(row)) }).then(
      (found) => {
        chosen.setMany(found, true);
        setRows(found);
      },
      (problem: unknown) => {
        if (!abort.signal.aborted) setError(problem);
      },
    );
    return () => abort.abort();
    // The choice is frozen, and the filters cannot change below the dialog.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen]);

  const since = useSince(rows, rowId, watched);
  const readAgain = async () => {
    try {
      const stale = (rows ?? []).filter((row) => since.has(rowId(row)));
      const current = new Map(await inParallel(stale, atOnce, async (row) => [rowId(row), await watched?.read(row)] as const));
      setRows((before) => before?.flatMap((row) => (current.has(rowId(row)) ? (current.get(rowId(row)) ?? []) : row)));
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  return { rows, setRows, count, since, error, setError, readAgain };
}

/** How long typing has to rest before what a table names is looked up, in ms. */
const pause = 300;
/** How many rows of a table are looked up before it is said how many are left, and how many of them at once. */
const round = 100;
const atOnce = 4;

/**
 * What there is of the rows that a table names; undefined for one that there is not. Each is looked
 * up once, until it is to be read again; what was found stays found when another fails.
 */
export function useTableRows<Row>(
  source: TableSource<Row> | undefined,
  labels: readonly string[],
  rowId: (row: Row) => string,
  watched: Watched<Row> | undefined,
) {
  const [found, setFound] = useState<ReadonlyMap<string, Row | undefined>>(new Map());
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const typed = useRef('');
  const missing = source === undefined ? [] : labels.filter((label) => !found.has(label));
  const wanted = JSON.stringify(missing.slice(0, round));
  const table = JSON.stringify(labels);
  useEffect(() => {
    const names = JSON.parse(wanted) as string[];
    if (source === undefined || names.length === 0) return undefined;
    const abort = new AbortController();
    const now = new Map<string, Row | undefined>();
    const find = async (name: string) => {
      if (!abort.signal.aborted) now.set(name, await source.find(name, abort.signal));
    };
    const lookUp = async () => {
      try {
        await inParallel(names, atOnce, find);
        if (!abort.signal.aborted) setError(undefined);
      } catch (problem) {
        if (!abort.signal.aborted) setError(problem);
      }
      if (!abort.signal.aborted && now.size > 0) setFound((before) => new Map([...before, ...now]));
    };
    const timer = setTimeout(() => void lookUp(), typed.current === table ? 0 : pause);
    typed.current = table;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
    // A source is made anew with each render, and always asks the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted, table, tries]);
  const rows = useMemo(() => [...found.values()].filter((row) => row !== undefined), [found]);
  return {
    found,
    /** How many are still looked up. */
    missing: missing.length,
    error,
    since: useSince(rows, rowId, watched),
    /** Looks up what could not be. */
    retry: () => {
      setError(undefined);
      setTries((n) => n + 1);
    },
    forget: () => setFound(new Map()),
  };
}

/** Who has changed which of the rows since they were read. */
function useSince<Row>(rows: readonly Row[] | undefined, rowId: (row: Row) => string, watched: Watched<Row> | undefined): ReadonlyMap<string, Since> {
  const [changes, setChanges] = useState<ReadonlyMap<string, Since>>(new Map());
  useLive(watched?.topic ?? '', ({ key, payload }) => {
    if (key === '') return;
    const change = { etag: String(payload.etag), who: payload.changedBy as PersonName, deleted: payload.action === 'delete' };
    setChanges((before) => new Map(before).set(key, change));
  });
  const since = new Map<string, Since>();
  for (const row of watched === undefined ? [] : (rows ?? [])) {
    const change = changes.get(watched?.key(row) ?? '');
    if (change !== undefined && change.etag !== watched?.etag(row)) since.set(rowId(row), change);
  }
  return since;
}
