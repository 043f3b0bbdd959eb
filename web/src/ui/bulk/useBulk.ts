import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { isUnknown } from '@/api';
import { drafts } from '@/browser/drafts';
import { randomId } from '@/browser/id';
import { upgradeInput } from '../edit/upgradeInput';
import { requireKey, useSlot } from '../edit/slot';
import { nameOf, type BulkAction, type RowValues, type Watched } from './action';
import { firstLineOf, usePreview } from './preview';
import { readRowValues, type ChosenLayout } from './rowValues';
import { isLeft, newJob, reopened, resultsOf, runJob, type Item, type Job, type Result } from './run';
import { scopeOf } from './scope';
import { useChosenRows, useTableRows, type Chosen } from './useRows';

interface Options<Row, Input extends object> {
  /** The name of the list, such as "orders". */
  list: string;
  action: BulkAction<Row, Input>;
  rowId: (row: Row) => string;
  /** The selected rows; unused for a table, which lists its rows. */
  chosen: Chosen<Row>;
  isTable: boolean;
  watched: Watched<Row> | undefined;
  /** The topic of the queries that are refetched after the run. */
  topic: string;
}

type Phase = 'reading' | 'preview' | 'running' | 'broken' | 'done';

/** The input for a run over a table, before the run starts. */
interface Typed<Input> {
  input: Input;
  hasRowValues: boolean;
  table: string;
  /** The layout that the user confirmed. */
  layout?: ChosenLayout;
  /** The labels of rows of the table that an earlier run completed. Later lines can depend on their lines. */
  done?: readonly string[];
  isTable: boolean;
}

/** A stored run: its progress, or its input if it has not started. */
interface StoredRun<Input> {
  job?: Job<Input>;
  typed?: Typed<Input>;
}

/**
 * The reason why a row is skipped independent of the action: no line in the table, beyond the
 * maximum, unknown, ambiguous, without a value, or completed by an earlier run.
 */
export type Left = 'alreadyDone' | 'noLine' | 'beyond' | 'notThere' | 'twiceThere' | 'noValue';

export interface Skipped {
  item: Item;
  /** A text if the action skips the row. */
  reason: string | { left: Left };
}

/** The rows that a run sends, and the rows that it skips. */
export interface Plan<Row> {
  eligible: { row: Row; item: Item; own: RowValues | undefined; /** The label in the table. */ label: string }[];
  skipped: Skipped[];
}

/**
 * Prepares and executes a run over the rows of a list or a table: the preview, the requests, and a
 * verdict for each row. The run survives a reload and a lost connection, and resumes with the same
 * rows under the same keys.
 */
export function useBulk<Row, Input extends object>({ list, action, rowId, chosen, isTable, watched, topic }: Options<Row, Input>) {
  const queries = useQueryClient();
  const { stored: kept, slot, restored } = useSlot(scopeOf(list, action.id), nameOf(action));
  const [begun] = useState(() => (kept?.value as StoredRun<Input> | undefined)?.job);
  // Input for a table does not apply to selected rows.
  const [earlier] = useState(() => {
    const typed = (kept?.value as StoredRun<Input> | undefined)?.typed;
    return begun === undefined && typed?.isTable === isTable ? typed : undefined;
  });
  const blank = (): Typed<Input> => ({ input: action.open(chosen.selection.rows[0]), hasRowValues: isTable, table: '', done: undefined, isTable });
  const [typed, setTyped] = useState<Typed<Input>>(() => {
    const opened = blank();
    return { ...opened, ...earlier, input: upgradeInput((earlier ?? begun)?.input, opened.input) };
  });
  const latest = useRef(typed);
  const [isRestart, setIsRestart] = useState(false);
  const { input, hasRowValues, table, layout } = typed;
  const done = useMemo(() => new Set(typed.done), [typed.done]);
  /** Stores a change of the input, including a pasted table, which may be long work. */
  const type = (part: (before: Typed<Input>) => Partial<Typed<Input>>) => {
    // Other input may have changed while a file was read.
    const before = latest.current;
    const next = { ...before, ...part(before) };
    latest.current = next;
    setTyped(next);
    if (next.table !== '') slot.put({ value: { typed: next } satisfies StoredRun<Input> });
    else if (before.table !== '') slot.drop();
  };
  const [strict, setStrict] = useState(false);
  const [job, setJob] = useState<Job<Input> | undefined>(begun);
  const [details, setDetails] = useState<ReadonlyMap<string, Result<Row>>>(new Map());
  const [ended, setEnded] = useState<'broken' | 'done' | undefined>(begun && 'broken');
  const [isStopping, setStopping] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const choice = useChosenRows({ chosen, rowId, watched: isTable ? undefined : watched, isIdle: isTable || begun !== undefined });
  const { setRows, error, setError } = choice;

  const source = isTable ? action.table : undefined;
  const columns = useMemo(() => action.columns?.(input) ?? [], [action, input]);
  const key = action.file?.key ?? '';
  const read = usePreview(action.file, columns, table, layout);
  const { preview } = read;
  const own = useMemo(
    () => readRowValues(preview, { key, columns, addsUp: action.table?.addsUp, first: firstLineOf(table), chosen: layout }),
    [preview, key, columns, action, table, layout],
  );
  const labels = useMemo(() => [...own.byLabel.keys()].filter((label) => !done.has(label)), [own, done]);
  const lookup = useTableRows(source, labels.slice(0, action.maxRows), rowId, watched);
  const rows = useMemo(() => (isTable ? labels.flatMap((label) => lookup.found.get(label) ?? []) : choice.rows), [isTable, labels, lookup.found, choice.rows]);

  const plan = useMemo((): Plan<Row> => {
    const eligible: Plan<Row>['eligible'] = [];
    const skipped: Skipped[] = [];
    const seen = new Set<string>();
    const add = (row: Row, values: RowValues | undefined, label?: string) => {
      const given = action.item(row, input, values);
      const item: Item = values === undefined || given.values !== undefined ? given : { ...given, values: JSON.stringify(values) };
      const reason = action.skip(row, input, values);
      // A table may contain one row under two spellings.
      if (seen.has(item.id)) skipped.push({ item, reason: { left: 'twiceThere' } });
      else if (reason !== undefined) skipped.push({ item, reason });
      else if (hasRowValues && values === undefined && !isTable)
        skipped.push({ item, reason: { left: own.twice.includes(item.label) ? 'twiceThere' : 'noLine' } });
      else if (eligible.length >= (action.maxRows ?? Infinity)) skipped.push({ item, reason: { left: 'beyond' } });
      else eligible.push({ row, item, own: values, label: label ?? item.label });
      seen.add(item.id);
    };
    if (isTable) {
      const leave = (label: string, left: Left) => skipped.push({ item: { id: label, label }, reason: { left } });
      const most = new Set(labels.slice(0, action.maxRows));
      for (const [label, values] of own.byLabel) {
        const row = lookup.found.get(label);
        if (done.has(label)) leave(label, 'alreadyDone');
        else if (!most.has(label)) leave(label, 'beyond');
        else if (row !== undefined) add(row, columns.length === 0 ? undefined : values, label);
        else if (lookup.found.has(label)) leave(label, 'notThere');
      }
      own.twice.forEach((label) => leave(label, 'twiceThere'));
      own.empty.forEach((label) => leave(label, 'noValue'));
    } else for (const row of rows ?? []) add(row, hasRowValues ? own.byLabel.get(action.item(row, input).label) : undefined);
    return { eligible, skipped };
  }, [action, rows, input, hasRowValues, own, done, labels, isTable, lookup.found, columns]);
  const isInFlight = useSyncExternalStore(drafts.subscribe, slot.isSending);
  const phase: Phase = ended ?? (job !== undefined ? 'running' : rows === undefined ? 'reading' : 'preview');

  /** The items of the run that undoes the completed rows. */
  const undoable = useMemo((): Item[] => {
    const { undo } = action;
    if (phase !== 'done' || job === undefined || job.isUndo === true || undo === undefined) return [];
    const before = new Map((rows ?? []).map((row) => [rowId(row), row]));
    return resultsOf(job).flatMap((result) => (result.verdict === 'done' ? (undo.item(result, job.input, before.get(result.id)) ?? []) : []));
  }, [action, phase, job, rows, rowId]);

  const run = async (from: Job<Input>) => {
    setError(undefined);
    setEnded(undefined);
    setStopping(false);
    stop.current = new AbortController();
    const { signal } = stop.current;
    const arrived = slot.sending();
    const keep = (now: Job<Input>) => {
      // After a sign-out nothing is stored.
      if (slot.isOwn())
        slot.put({ value: { job: now, ...(table !== '' && { typed }) } satisfies StoredRun<Input>, key: now.key, sent: now.isSent ? true : undefined });
      setJob(now);
    };
    const size = action.isAtomic === true ? Infinity : action.size;
    const seen = new Map<string, Result<Row>>();
    const result = await runJob<Input>({
      job: from,
      size,
      concurrency: action.concurrency,
      send: async (items, given, key) => {
        requireKey(slot);
        const results = await action.send(items, given, key);
        results.forEach((one) => seen.set(one.id, one));
        return results;
      },
      resultsOnError: (problem, items) => {
        const results = action.resultsOnError?.(problem, items);
        results?.forEach((one) => seen.set(one.id, one));
        return results;
      },
      store: keep,
      signal,
    }).finally(arrived);
    if (result.isOpen) keep({ ...result.job, isSent: true });
    else slot.put({ value: undefined, key: undefined, sent: undefined });
    setJob(result.job);
    setDetails((before) => new Map([...before, ...seen]));
    // The error is hidden if it is in the results of the rows.
    setError(seen.size > 0 && !result.isOpen ? undefined : result.error);
    setEnded(result.isOpen ? 'broken' : 'done');
    const left = resultsOf(result.job).filter(isLeft);
    const beyond = plan.skipped.filter(({ reason }) => typeof reason === 'object' && reason.left === 'beyond').map(({ item }) => item.id);
    if (result.isOpen && isUnknown(result.error)) {
      // A stopped run, or one with a closed dialog, resumes only on the user's request.
      slot.retryOnReconnect(() => {
        if (isShown.current && !signal.aborted) void run(reopened(result.job, size));
      });
    }
    if (!isTable) chosen.selection.keep(new Set([...left.map(({ id }) => id), ...beyond]));
    void queries.invalidateQueries({ queryKey: [topic] });
  };

  /** The labels of the completed rows in the table. */
  const finished = useMemo(() => {
    const ids = new Set(job === undefined ? [] : resultsOf(job).flatMap((result) => (isLeft(result) ? [] : [result.id])));
    return new Set([...done, ...plan.eligible.filter(({ item }) => ids.has(item.id)).map(({ label }) => label)]);
  }, [job, done, plan]);

  return {
    phase,
    isTable,
    input,
    change: (part: Partial<Input>) => type((before) => ({ input: { ...before.input, ...part } })),
    /** When the restored input last changed, in ms since 1970; undefined for input of this visit. */
    restored: earlier === undefined || isRestart ? undefined : restored,
    startOver: () => {
      type(blank);
      setIsRestart(true);
    },
    strict,
    own: {
      columns,
      hasRowValues,
      setHasRowValues: (has: boolean) => type(() => ({ hasRowValues: has })),
      table,
      setTable: (text: string) => type(() => (text === '' ? { table: text, done: undefined } : { table: text })),
      openTable: (text: string) => type(() => ({ table: text, done: undefined })),
      setLayout: (chosen: ChosenLayout) => type(() => ({ layout: chosen })),
      isReading: read.isReading,
      ...own,
    },
    rows,
    count: choice.count,
    /** The number of table rows that are still looked up. */
    missing: lookup.missing,
    since: isTable ? lookup.since : choice.since,
    readAgain: isTable ? lookup.forget : () => void choice.readAgain(),
    plan,
    job,
    details,
    error: error ?? read.error ?? lookup.error,
    /** Retries a failed reading of the table, or a failed lookup. */
    retry: [read, lookup].find((one) => one.error !== undefined)?.retry,
    isStopping,
    start: () => {
      setStrict(true);
      if (plan.eligible.length === 0 || lookup.missing > 0 || action.isBlank?.(input) === true || action.isComplete?.(input, hasRowValues) === false) return;
      void run(
        newJob(
          input,
          plan.eligible.map(({ item }) => item),
          randomId(),
        ),
      );
    },
    undoable,
    /** Undoes the completed rows. */
    undo: () => {
      if (job !== undefined && action.undo !== undefined)
        void run({ ...newJob(action.undo.input?.(job.input) ?? job.input, undoable, randomId()), isUndo: true });
    },
    /** Starts a new run with some of the rows, with the same input. */
    onlyFor: (items: readonly Item[]) => job && void run({ ...newJob(job.input, items, randomId()), isUndo: job.isUndo }),
    resume: () => job && void run(reopened(job, action.isAtomic === true ? Infinity : action.size)),
    stop: () => {
      setStopping(true);
      stop.current?.abort();
    },
    /** The run is in flight in this tab, from a dialog that was closed. */
    isElsewhere: phase === 'broken' && isInFlight,
    giveUp: () => slot.abandon(),
    /** Starts a new run with some rows in their current version. */
    again: (next: readonly Row[]) => {
      setRows(next);
      setJob(undefined);
      setEnded(undefined);
      setError(undefined);
    },
    /** The number of lines that are not done. The user can edit and send them again. */
    linesLeft:
      isTable && phase === 'done' && job?.isUndo !== true
        ? [...own.byLabel.keys(), ...own.twice, ...own.empty].filter((label) => !finished.has(label)).length + own.rejected.length
        : 0,
    /** Continues with the rows of the table that are not completed. The text stays, because lines can inherit values of completed ones. */
    continueRemaining: () => {
      type(() => ({ done: [...finished] }));
      lookup.forget();
      setJob(undefined);
      setEnded(undefined);
      setStrict(false);
    },
  };
}

export type Bulk<Row, Input extends object> = ReturnType<typeof useBulk<Row, Input>>;
