import type { ReactNode } from 'react';
import type { ApiProblem, PersonName, Topic } from '@/api';
import type { TableKind } from './preview';
import type { RowColumn } from './rowValues';
import type { Item, Result } from './run';

/** Props of the inputs of a run. */
export interface InputProps<Input> {
  input: Input;
  change: (part: Partial<Input>) => void;
  /** The user tried to start the run: missing values are now marked. */
  strict: boolean;
  /** The pasted or uploaded table contains the values of each row. */
  hasRowValues: boolean;
}

/** The values of one row of a pasted or uploaded table, by column name. */
export type RowValues = Readonly<Record<string, string>>;

/** Looks up the rows that a pasted or uploaded table lists, independent of the selection. */
export interface TableSource<Row> {
  /** The label of the button next to the list's title. */
  button: string;
  /** Values for the same row could add up, so two lines for one row are ambiguous even with equal values. */
  addsUp?: boolean;
  /** Returns the row with a label; undefined if there is none. Such a label is listed as skipped. */
  find: (label: string, signal: AbortSignal) => Promise<Row | undefined>;
}

/** An action for many rows, which are selected in a list or listed in a pasted or uploaded table. */
export interface BulkAction<Row, Input extends object = object> {
  /** The id, such as "ship". A stored run is found by the list's name and this id. */
  id: string;
  labels: {
    /** The button above the list, for the selected rows; undefined if the action opens otherwise. */
    button?: string;
    title: (n: number) => string;
    hint?: string;
    /** The button that starts the run. */
    confirm: (n: number, input: Input) => string;
    /** The message after a complete run. */
    done?: (n: number, input: Input) => string;
    /** The reason for skipping the rows beyond the maximum. */
    beyond?: string;
  };
  isDangerous?: (input: Input) => boolean;
  /** The maximum number of rows per request (`size`) and per run (`most`). */
  size: number;
  maxRows?: number;
  /** Concurrent requests; more than one requires a size of one row. */
  concurrency?: number;
  /** The tables that the service reads for this action; undefined if it has none. */
  file?: TableKind;
  table?: TableSource<Row>;
  /** The run is one request, which applies all rows or none. */
  isAtomic?: boolean;
  /** Returns the initial input. `some` is one of the selected rows; undefined without a selection. */
  open: (some: Row | undefined) => Input;
  isComplete?: (input: Input, hasRowValues: boolean) => boolean;
  /** Whether the user has not entered the new value yet: the run cannot be started. */
  isBlank?: (input: Input) => boolean;
  inputs?: (props: InputProps<Input>) => ReactNode;
  /** The columns of the row values; the required ones depend on the input. */
  columns?: (input: Input) => readonly RowColumn[];
  /** The reason for skipping a row; undefined for a row that is sent. */
  skip: (row: Row, input: Input, own: RowValues | undefined) => string | undefined;
  /** The effect on a row. */
  preview?: (row: Row, input: Input, own: RowValues | undefined) => ReactNode;
  /** Returns the item of a row. Without `own` in the result, the row's table values are used. */
  item: (row: Row, input: Input, own?: RowValues) => Item;
  send: (items: readonly Item[], input: Input, key: string) => Promise<readonly Result<Row>[]>;
  /** Returns the results of single rows that the error response contains. */
  resultsOnError?: (error: ApiProblem, items: readonly Item[]) => readonly Result<Row>[] | undefined;
  /** Undoes a run with another run of the same kind, which skips rows that others changed since. */
  undo?: {
    /** The item that undoes a result; undefined if it cannot be undone. `row` is undefined after a reload. */
    item: (result: Result & { item: Item }, input: Input, row: Row | undefined) => Item | undefined;
    input?: (input: Input) => Input;
    /** The message after a complete undo. */
    done: (n: number) => string;
  };
  /** Describes the result of a row in addition to its verdict. */
  describe?: (result: Result<Row>, before: Row | undefined) => ReactNode;
}

/** Detects changes by others to the selected rows. */
export interface Watched<Row> {
  topic: Topic;
  key: (row: Row) => string;
  etag: (row: Row) => string;
  /** Returns the current row; undefined if it was deleted. */
  read: (row: Row) => Promise<Row | undefined>;
}

/** A change by another user since the row was selected. */
export interface Since {
  etag: string;
  who: PersonName;
  deleted: boolean;
}

/** The label of an action in the list of drafts. */
export const nameOf = <Row, Input extends object>({ labels, table }: Pick<BulkAction<Row, Input>, 'labels' | 'table'>): string =>
  labels.button ?? table?.button ?? labels.title(1);
