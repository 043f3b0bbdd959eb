import { useEffect, useMemo, useRef, useState } from 'react';
import { useLive, type PersonName } from '@/api';
import { readAll, type List } from '../table/useList';
import type { Selection } from '../table/useSelection';
import { inParallel } from './parallel';
import type { Since, TableSource, Watched } from './action';

/** The selection in a list, and access to the rows of the list. */
export interface Chosen<Row> {
  selection: Selection<Row>;
  readPage: List<Row>['readPage'];
  /** The rows that the list displays now. */
  shown: readonly Row[];
}

interface Options<Row> {
  chosen: Chosen<Row>;
  rowId: (row: Row) => string;
  watched: Watched<Row> | undefined;
  /** A stored run is resumed. It contains its rows, so the selection is not read. */
  isIdle: boolean;
}

/** Returns the selected rows in the version that the list displayed when the dialog opened, and the later changes by other users. */
export function useChosenRows<Row>({ chosen: { selection, readPage, shown }, rowId, watched, isIdle }: Options<Row>) {
  // The selection when the dialog opened, with the versions that the list displays.
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
    // The selection is frozen, and the filters cannot change while the dialog is open.
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

/** The pause in typing before a lookup, in ms. */
const pause = 300;
/**
 * The number of rows per lookup round, after which the remaining number is displayed, and the
 * number of concurrent lookups.
 */
const round = 100;
const atOnce = 4;

/**
 * Looks up the rows of a table by label; an unknown row is undefined. Each label is looked up once
 * until `forget` is called. If a lookup fails, the results of the other lookups stay.
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
  const pending = JSON.stringify(missing.slice(0, round));
  const table = JSON.stringify(labels);
  useEffect(() => {
    const names = JSON.parse(pending) as string[];
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
    // `source` is omitted: each render creates a new one with the same lookup.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [pending, table, tries]);
  const rows = useMemo(() => [...found.values()].filter((row) => row !== undefined), [found]);
  return {
    found,
    /** The number of rows that are still looked up. */
    missing: missing.length,
    error,
    since: useSince(rows, rowId, watched),
    /** Retries failed lookups. */
    retry: () => {
      setError(undefined);
      setTries((n) => n + 1);
    },
    forget: () => setFound(new Map()),
  };
}

/** The changes by others since the rows were read, by row id. */
function useSince<Row>(rows: readonly Row[] | undefined, rowId: (row: Row) => string, watched: Watched<Row> | undefined): ReadonlyMap<string, Since> {
  const [changes, setChanges] = useState<ReadonlyMap<string, Since>>(new Map());
  useLive(watched?.topic, ({ key, payload }) => {
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
