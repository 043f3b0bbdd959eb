import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { otherIdentity, useLive, type PersonName } from '@/api';
import { randomId } from '@/browser/id';
import { useSlot } from '../edit/slot';
import { readAll, type List } from '../table/useList';
import type { Selection } from '../table/useSelection';
import type { BulkAction, Since, Watched } from './action';
import { readOwn } from './own';
import { isLeft, newJob, reopened, resultsOf, runJob, type Item, type Job, type Result } from './run';

interface Options<Row, Input extends object> {
  /** Of the list: "orders". */
  list: string;
  action: BulkAction<Row, Input>;
  rowId: (row: Row) => string;
  selection: Selection<Row>;
  readPage: List<Row>['readPage'];
  /** The rows as the list shows them now. */
  shown: readonly Row[];
  watched: Watched<Row> | undefined;
  /** What has to be read again after it. */
  topic: string;
}

export type Phase = 'reading' | 'preview' | 'running' | 'broken' | 'done';

/** What a run is about and how far it has come; kept while it is not finished. */
interface KeptRun<Input> {
  job: Job<Input>;
}

/** The name under which a run is kept. */
export const scopeOf = (list: string, id: string): string => `${list}/bulk/${id}`;

/**
 * A run over the chosen rows of a list: what will become of each, request after request,
 * a verdict each. It survives a reload and a lost link: it goes on where it broke off,
 * with the same rows under the same keys.
 */
export function useBulk<Row, Input extends object>({ list, action, rowId, selection, readPage, shown, watched, topic }: Options<Row, Input>) {
  const queries = useQueryClient();
  const { kept, slot } = useSlot(scopeOf(list, action.id), action.words.button);
  const [begun] = useState(() => (kept?.value as KeptRun<Input> | undefined)?.job);
  const [input, setInput] = useState<Input>(() => begun?.input ?? action.open(selection.rows[0]));
  const [hasOwn, setHasOwn] = useState(false);
  const [table, setTable] = useState('');
  const [strict, setStrict] = useState(false);
  const [job, setJob] = useState<Job<Input> | undefined>(begun);
  const [details, setDetails] = useState<ReadonlyMap<string, Result<Row>>>(new Map());
  const [ended, setEnded] = useState<'broken' | 'done' | undefined>(begun && 'broken');
  const [isStopping, setStopping] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const { rows, setRows, count, since, error, setError, readAgain } = useRows({ selection, readPage, shown, rowId, watched, isIdle: begun !== undefined });

  const columns = useMemo(() => action.own?.(input) ?? [], [action, input]);
  const own = useMemo(() => readOwn(table, columns), [table, columns]);
  const plan = useMemo(() => {
    const eligible: { row: Row; item: Item }[] = [];
    const skipped: { row: Row; item: Item; reason: string | undefined }[] = [];
    for (const row of rows ?? []) {
      const item = action.item(row, input);
      const values = own.byLabel.get(item.label);
      const reason = action.skip(row, input);
      if (reason !== undefined) skipped.push({ row, item, reason });
      // Undefined: there is no line for it.
      else if (hasOwn && values === undefined) skipped.push({ row, item, reason: undefined });
      else if (eligible.length >= (action.most ?? Infinity)) skipped.push({ row, item, reason: '' });
      else eligible.push({ row, item: hasOwn ? { ...item, own: JSON.stringify(values) } : item });
    }
    return { eligible, skipped };
  }, [action, rows, input, hasOwn, own]);
  const phase: Phase = ended ?? (job !== undefined ? 'running' : rows === undefined ? 'reading' : 'preview');

  /** What takes back each row that was done; of a run that was broken off and gone on with elsewhere, the rows are not known. */
  const undoable = useMemo((): Item[] => {
    const { undo } = action;
    if (phase !== 'done' || job === undefined || job.isUndo === true || undo === undefined) return [];
    const before = new Map((rows ?? []).map((row) => [rowId(row), row]));
    return resultsOf(job).flatMap((result) => {
      const row = before.get(result.id);
      return result.verdict === 'done' && row !== undefined ? (undo.item(row, result, job.input) ?? []) : [];
    });
  }, [action, phase, job, rows, rowId]);

  const run = async (from: Job<Input>) => {
    setError(undefined);
    setEnded(undefined);
    setStopping(false);
    stop.current = new AbortController();
    const keep = (now: Job<Input>) => {
      // Of somebody who has signed out nothing is kept.
      if (slot.isOwn()) slot.put({ value: { job: now } satisfies KeptRun<Input>, key: now.key, sent: now.isSent ? true : undefined });
      setJob(now);
    };
    const isAtomic = action.isAtomic === true;
    const seen = new Map<string, Result<Row>>();
    const result = await runJob<Input>({
      job: from,
      size: isAtomic ? Infinity : action.size,
      send: async (items, given, key) => {
        if (!slot.isOwn()) throw otherIdentity();
        const results = await action.send(items, given, key);
        results.forEach((one) => seen.set(one.id, one));
        return results;
      },
      told: (problem, items) => {
        const results = action.told?.(problem, items);
        results?.forEach((one) => seen.set(one.id, one));
        return results;
      },
      keep,
      signal: stop.current.signal,
    });
    if (result.isOpen) keep({ ...result.job, isSent: true });
    else slot.drop();
    setJob(result.job);
    setDetails((before) => new Map([...before, ...seen]));
    // What the service says of the rows needs no words of its own.
    setError(seen.size > 0 && !result.isOpen ? undefined : result.error);
    setEnded(result.isOpen ? 'broken' : 'done');
    const left = new Set(
      resultsOf(result.job)
        .filter(isLeft)
        .map(({ id }) => id),
    );
    const overLimit = plan.skipped.filter(({ reason }) => reason === '').map(({ item }) => item.id);
    selection.keep(new Set([...left, ...overLimit]));
    void queries.invalidateQueries({ queryKey: [topic] });
  };

  return {
    phase,
    input,
    change: (part: Partial<Input>) => setInput((before) => ({ ...before, ...part })),
    strict,
    own: { columns, hasOwn, setHasOwn, table, setTable, ...own },
    rows,
    count,
    since,
    readAgain,
    plan,
    job,
    details,
    error,
    isStopping,
    start: () => {
      setStrict(true);
      if (plan.eligible.length === 0 || action.isComplete?.(input, hasOwn) === false) return;
      void run(
        newJob(
          input,
          plan.eligible.map(({ item }) => item),
          randomId(),
        ),
      );
    },
    undoable,
    /** Takes back what was done. */
    undo: () => job && action.undo && void run({ ...newJob(action.undo.input(job.input), undoable, randomId()), isUndo: true }),
    /** Does the same for some of the rows alone. */
    onlyFor: (items: readonly Item[]) => job && void run({ ...newJob(job.input, items, randomId()), isUndo: job.isUndo }),
    goOn: () => job && void run(reopened(job, action.isAtomic === true ? Infinity : action.size)),
    stop: () => {
      setStopping(true);
      stop.current?.abort();
    },
    giveUp: () => slot.drop(),
    /** Begins anew with some rows, as others left them. */
    again: (next: readonly Row[]) => {
      setRows(next);
      setJob(undefined);
      setEnded(undefined);
      setError(undefined);
    },
  };
}

export type Bulk<Row, Input extends object> = ReturnType<typeof useBulk<Row, Input>>;

/** The chosen rows, as they were when the dialog opened, and who has changed which since. */
function useRows<Row>({
  selection,
  readPage,
  shown,
  rowId,
  watched,
  isIdle,
}: Pick<Options<Row, never>, 'selection' | 'readPage' | 'shown' | 'rowId' | 'watched'> & { isIdle: boolean }) {
  // What was chosen when the dialog opened; of what the list shows, as it shows it.
  const [chosen] = useState(selection);
  const [rows, setRows] = useState<readonly Row[] | undefined>(() => {
    const now = new Map(shown.map((row) => [rowId(row), row]));
    if (isIdle) return [];
    return selection.all ? undefined : selection.rows.map((row) => now.get(rowId(row)) ?? row);
  });
  const [count, setCount] = useState(0);
  const [changes, setChanges] = useState<ReadonlyMap<string, Since>>(new Map());
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
  const readAgain = async () => {
    try {
      const stale = (rows ?? []).filter((row) => since.has(rowId(row)));
      const current = new Map(await Promise.all(stale.map(async (row) => [rowId(row), await watched?.read(row)] as const)));
      setRows((before) => before?.flatMap((row) => (current.has(rowId(row)) ? (current.get(rowId(row)) ?? []) : row)));
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  return { rows, setRows, count, since, error, setError, readAgain };
}
