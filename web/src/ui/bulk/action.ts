import type { ReactNode } from 'react';
import type { ApiProblem, PersonName } from '@/api';
import type { OwnColumn } from './rowValues';
import type { Item, Result } from './run';

/** What inputs of a run are given. */
export interface InputProps<Input> {
  input: Input;
  change: (part: Partial<Input>) => void;
  /** Somebody tried to start it: now say what is missing. */
  strict: boolean;
  /** What each row has of its own comes from a table. */
  hasOwn: boolean;
}

/** What a line of a table gives its row, by the names of the columns. */
export type Own = Readonly<Record<string, string>>;

/** Rows that a table names, whatever is chosen in the list. */
export interface TableSource<Row> {
  /** The button that opens it, beside the list's title. */
  button: string;
  /** What a first line may call the column that names the row; people read the first of them. */
  names: readonly [string, ...string[]];
  /** Two lines of one row add up, so that which of them is meant has to be said, also where they are the same. */
  addsUp?: boolean;
  /** The row that a label names; undefined when there is none, so that it is left out, as is said. */
  find: (label: string, signal: AbortSignal) => Promise<Row | undefined>;
}

/** Something that can be done with many rows of a list, or of a table. */
export interface BulkAction<Row, Input extends object = object> {
  /** "ship"; names what is kept with the list's name before it. */
  id: string;
  labels: {
    /** The button above the list, for the chosen rows; without one it is opened otherwise. */
    button?: string;
    title: (n: number) => string;
    hint?: string;
    /** The button that starts it. */
    confirm: (n: number, input: Input) => string;
    /** What is said when all was done. */
    done?: (n: number, input: Input) => string;
    /** Why rows beyond the most of one run are left out. */
    beyond?: string;
  };
  isDangerous?: (input: Input) => boolean;
  /** Rows of one request, and of one run. */
  size: number;
  most?: number;
  /** Requests that are under way at once; more than one only where each is of one row. */
  atOnce?: number;
  table?: TableSource<Row>;
  /** One request, all of it or nothing. */
  isAtomic?: boolean;
  /** Given one of the chosen rows. */
  open: (some: Row | undefined) => Input;
  isComplete?: (input: Input, hasOwn: boolean) => boolean;
  inputs?: (props: InputProps<Input>) => ReactNode;
  /** Columns of a table that gives each row its own; needed is what the inputs leave open. */
  own?: (input: Input) => readonly OwnColumn[];
  /** Why a row is left as it is, in words; undefined for one that is sent. */
  skip: (row: Row, input: Input, own: Own | undefined) => string | undefined;
  /** What becomes of a row. */
  preview?: (row: Row, input: Input, own: Own | undefined) => ReactNode;
  /** Where it says nothing of `own`, that is what the table gives. */
  item: (row: Row, input: Input, own?: Own) => Item;
  send: (items: readonly Item[], input: Input, key: string) => Promise<readonly Result<Row>[]>;
  /** What a failed request tells of its rows all the same. */
  told?: (error: ApiProblem, items: readonly Item[]) => readonly Result<Row>[] | undefined;
  /** Takes a run back by another one of the same kind, which changes only what nobody has changed since. */
  undo?: {
    /** What is sent for a row that was done; undefined for one that cannot be taken back. Of a run that was gone on with after a reload there is no row. */
    item: (result: Result & { item: Item }, input: Input, row: Row | undefined) => Item | undefined;
    input?: (input: Input) => Input;
    /** What is said when all was taken back. */
    done: (n: number) => string;
  };
  /** How the result of a row is told beyond its verdict. */
  describe?: (result: Result<Row>, before: Row | undefined) => ReactNode;
}

/** How it is noticed that others change what was chosen. */
export interface Watched<Row> {
  topic: string;
  key: (row: Row) => string;
  etag: (row: Row) => string;
  /** As it is now; undefined when it is gone. */
  read: (row: Row) => Promise<Row | undefined>;
}

/** A change that others made after the row was chosen. */
export interface Since {
  etag: string;
  who: PersonName;
  deleted: boolean;
}

/** What an action is called in the list of what is not finished. */
export const nameOf = <Row, Input extends object>({ labels, table }: Pick<BulkAction<Row, Input>, 'labels' | 'table'>): string =>
  labels.button ?? table?.button ?? labels.title(1);
