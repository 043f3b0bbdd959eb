import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { isUnknown } from '@/api';
import { drafts } from '@/browser/drafts';
import { randomId } from '@/browser/id';
import { upgradeInput } from '../edit/upgradeInput';
import { requireKey, useSlot } from '../edit/slot';
import { nameOf, type BulkAction, type Own, type Watched } from './action';
import { firstLineOf, readOwn, withoutRows, type ChosenLayout } from './rowValues';
import { isLeft, newJob, reopened, resultsOf, runJob, type Item, type Job, type Result } from './run';
import { scopeOf } from './scope';
import { useChosenRows, useTableRows, type Chosen } from './useRows';

interface Options<Row, Input extends object> {
  /** Of the list: "orders". */
  list: string;
  action: BulkAction<Row, Input>;
  rowId: (row: Row) => string;
  /** The rows are chosen in a list; those that a table names are there without. */
  chosen: Chosen<Row>;
  isTable: boolean;
  watched: Watched<Row> | undefined;
  /** What has to be read again after it. */
  topic: string;
}

type Phase = 'reading' | 'preview' | 'running' | 'broken' | 'done';

/** What was typed for a run over a table that has not begun. */
interface Typed<Input> {
  input: Input;
  hasOwn: boolean;
  table: string;
  /** How the user said that the table is laid out. */
  layout?: ChosenLayout;
  isTable: boolean;
}

/** What a run is about and how far it has come, or what was typed for it; kept while it is not finished. */
interface KeptRun<Input> {
  job?: Job<Input>;
  typed?: Typed<Input>;
}

/** Why the engine leaves a row out: it has no line, is beyond the most of one run, or a table cannot name it so. */
export type Left = 'noLine' | 'beyond' | 'notThere' | 'twiceThere' | 'noValue';

export interface Skipped {
  item: Item;
  /** In words, where the action says why. */
  reason: string | { left: Left };
}

/** What will become of each row. */
export interface Plan<Row> {
  eligible: { row: Row; item: Item; own: Own | undefined; /** As the table spells it. */ label: string }[];
  skipped: Skipped[];
}

/**
 * A run over rows of a list or of a table: what will become of each, request after
 * request, a verdict each. It survives a reload and a lost link: it goes on where it
 * broke off, with the same rows under the same keys.
 */
export function useBulk<Row, Input extends object>({ list, action, rowId, chosen, isTable, watched, topic }: Options<Row, Input>) {
  const queries = useQueryClient();
  const { stored: kept, slot, restored } = useSlot(scopeOf(list, action.id), nameOf(action));
  const [begun] = useState(() => (kept?.value as KeptRun<Input> | undefined)?.job);
  // What was typed for rows of a table says nothing of chosen rows.
  const [earlier] = useState(() => {
    const typed = (kept?.value as KeptRun<Input> | undefined)?.typed;
    return begun === undefined && typed?.isTable === isTable ? typed : undefined;
  });
  const blank = (): Typed<Input> => ({ input: action.open(chosen.selection.rows[0]), hasOwn: isTable, table: '', isTable });
  const [typed, setTyped] = useState<Typed<Input>>(() => {
    const opened = blank();
    return { ...opened, ...earlier, input: upgradeInput((earlier ?? begun)?.input, opened.input) };
  });
  const latest = useRef(typed);
  const [isAfresh, setAfresh] = useState(false);
  const { input, hasOwn, table, layout } = typed;
  /** A pasted table is kept with what was typed beside it: it may be long work. */
  const type = (part: (before: Typed<Input>) => Partial<Typed<Input>>) => {
    // A file may have been read while something else was typed.
    const before = latest.current;
    const next = { ...before, ...part(before) };
    latest.current = next;
    setTyped(next);
    if (next.table !== '') slot.put({ value: { typed: next } satisfies KeptRun<Input> });
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
  const names = useMemo(() => action.table?.names ?? [], [action]);
  const columns = useMemo(() => action.own?.(input) ?? [], [action, input]);
  const addsUp = action.table?.addsUp === true;
  const own = useMemo(() => readOwn(table, columns, names, addsUp, layout), [table, columns, names, addsUp, layout]);
  const labels = useMemo(() => [...own.byLabel.keys()], [own]);
  const lookup = useTableRows(source, labels.slice(0, action.most), rowId, watched);
  const rows = useMemo(() => (isTable ? labels.flatMap((label) => lookup.found.get(label) ?? []) : choice.rows), [isTable, labels, lookup.found, choice.rows]);

  const plan = useMemo((): Plan<Row> => {
    const eligible: Plan<Row>['eligible'] = [];
    const skipped: Skipped[] = [];
    const seen = new Set<string>();
    const add = (row: Row, values: Own | undefined, label?: string) => {
      const given = action.item(row, input, values);
      const item = values === undefined || given.own !== undefined ? given : { ...given, own: JSON.stringify(values) };
      const reason = action.skip(row, input, values);
      // A table may spell one row in two ways.
      if (seen.has(item.id)) skipped.push({ item, reason: { left: 'twiceThere' } });
      else if (reason !== undefined) skipped.push({ item, reason });
      else if (hasOwn && values === undefined && !isTable) skipped.push({ item, reason: { left: own.twice.includes(item.label) ? 'twiceThere' : 'noLine' } });
      else if (eligible.length >= (action.most ?? Infinity)) skipped.push({ item, reason: { left: 'beyond' } });
      else eligible.push({ row, item, own: values, label: label ?? item.label });
      seen.add(item.id);
    };
    if (isTable) {
      const leave = (label: string, left: Left) => skipped.push({ item: { id: label, label }, reason: { left } });
      const most = new Set(labels.slice(0, action.most));
      for (const [label, values] of own.byLabel) {
        const row = lookup.found.get(label);
        if (!most.has(label)) leave(label, 'beyond');
        else if (row !== undefined) add(row, columns.length === 0 ? undefined : values, label);
        else if (lookup.found.has(label)) leave(label, 'notThere');
      }
      own.twice.forEach((label) => leave(label, 'twiceThere'));
      own.empty.forEach((label) => leave(label, 'noValue'));
    } else for (const row of rows ?? []) add(row, hasOwn ? own.byLabel.get(action.item(row, input).label) : undefined);
    return { eligible, skipped };
  }, [action, rows, input, hasOwn, own, labels, isTable, lookup.found, columns]);
  const isInFlight = useSyncExternalStore(drafts.subscribe, slot.isSending);
  const phase: Phase = ended ?? (job !== undefined ? 'running' : rows === undefined ? 'reading' : 'preview');

  /** What takes back each row that was done. */
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
      // Of somebody who has signed out nothing is kept.
      if (slot.isOwn())
        slot.put({ value: { job: now, ...(table !== '' && { typed }) } satisfies KeptRun<Input>, key: now.key, sent: now.isSent ? true : undefined });
      setJob(now);
    };
    const size = action.isAtomic === true ? Infinity : action.size;
    const seen = new Map<string, Result<Row>>();
    const result = await runJob<Input>({
      job: from,
      size,
      atOnce: action.atOnce,
      send: async (items, given, key) => {
        requireKey(slot);
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
      signal,
    }).finally(arrived);
    if (result.isOpen) keep({ ...result.job, isSent: true });
    else slot.put({ value: undefined, key: undefined, sent: undefined });
    setJob(result.job);
    setDetails((before) => new Map([...before, ...seen]));
    // What the service says of the rows needs no words of its own.
    setError(seen.size > 0 && !result.isOpen ? undefined : result.error);
    setEnded(result.isOpen ? 'broken' : 'done');
    const left = resultsOf(result.job).filter(isLeft);
    const beyond = plan.skipped.filter(({ reason }) => typeof reason === 'object' && reason.left === 'beyond').map(({ item }) => item.id);
    if (result.isOpen && isUnknown(result.error)) {
      // A run that was stopped, or whose dialog was closed, goes on only when the user says so.
      slot.retryOnReconnect(() => {
        if (isShown.current && !signal.aborted) void run(reopened(result.job, size));
      });
    }
    if (!isTable) chosen.selection.keep(new Set([...left.map(({ id }) => id), ...beyond]));
    void queries.invalidateQueries({ queryKey: [topic] });
  };

  /** The lines of the table that are not done. */
  const leftOver = () => {
    const finished = new Set(job === undefined ? [] : resultsOf(job).flatMap((result) => (isLeft(result) ? [] : [result.id])));
    const lines = plan.eligible.filter(({ item }) => finished.has(item.id)).map(({ label }) => label);
    return withoutRows(table, own, new Set(lines));
  };

  /** The same layout for what is left of the table, whose first line may be another one. */
  const layoutFor = (left: string): ChosenLayout | undefined => own.shown && { ...own.shown.layout, first: firstLineOf(left) };

  return {
    phase,
    isTable,
    input,
    change: (part: Partial<Input>) => type((before) => ({ input: { ...before.input, ...part } })),
    /** When what is shown was typed, if on an earlier visit; ms since 1970. */
    restored: earlier === undefined || isAfresh ? undefined : restored,
    startAfresh: () => {
      type(blank);
      setAfresh(true);
    },
    strict,
    own: {
      columns,
      hasOwn,
      setHasOwn: (has: boolean) => type(() => ({ hasOwn: has })),
      table,
      setTable: (text: string) => type(() => ({ table: text })),
      setLayout: (chosen: ChosenLayout) => type(() => ({ layout: chosen })),
      ...own,
    },
    rows,
    count: choice.count,
    /** How many rows of the table are still looked up. */
    missing: lookup.missing,
    since: isTable ? lookup.since : choice.since,
    readAgain: isTable ? lookup.forget : () => void choice.readAgain(),
    plan,
    job,
    details,
    error: error ?? lookup.error,
    /** Reads what could not be read. */
    retry: lookup.error === undefined ? undefined : lookup.retry,
    isStopping,
    start: () => {
      setStrict(true);
      if (plan.eligible.length === 0 || lookup.missing > 0 || action.isComplete?.(input, hasOwn) === false) return;
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
    undo: () => {
      if (job !== undefined && action.undo !== undefined)
        void run({ ...newJob(action.undo.input?.(job.input) ?? job.input, undoable, randomId()), isUndo: true });
    },
    /** Does the same for some of the rows alone. */
    onlyFor: (items: readonly Item[]) => job && void run({ ...newJob(job.input, items, randomId()), isUndo: job.isUndo }),
    goOn: () => job && void run(reopened(job, action.isAtomic === true ? Infinity : action.size)),
    stop: () => {
      setStopping(true);
      stop.current?.abort();
    },
    /** The run is in flight from a dialog that was closed. */
    isElsewhere: phase === 'broken' && isInFlight,
    giveUp: () => slot.abandon(),
    /** Begins anew with some rows, as others left them. */
    again: (next: readonly Row[]) => {
      setRows(next);
      setJob(undefined);
      setEnded(undefined);
      setError(undefined);
    },
    /** How many lines of the table are left; they can be gone on with once they are mended. */
    linesLeft: isTable && phase === 'done' && job?.isUndo !== true && table !== '' ? linesOf(leftOver(), columns, names, addsUp, layoutFor(leftOver())) : 0,
    /** Leaves in the table what was not done. */
    mend: () => {
      type(() => ({ table: leftOver(), layout: layoutFor(leftOver()) }));
      lookup.forget();
      setJob(undefined);
      setEnded(undefined);
      setStrict(false);
    },
  };
}

function linesOf(...table: Parameters<typeof readOwn>): number {
  const { byLabel, twice, empty, rejected } = readOwn(...table);
  return new Set([...byLabel.keys(), ...twice, ...empty]).size + rejected.length;
}

export type Bulk<Row, Input extends object> = ReturnType<typeof useBulk<Row, Input>>;
