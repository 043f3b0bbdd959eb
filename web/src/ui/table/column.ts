import type { ReactNode } from 'react';

/** A page of a list, as the service answers it. */
export interface ListPage<Row> {
  items: Row[];
  nextCursor: string | null;
  total: number;
}

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What stands in the CSV; a column without is not exported. */
  text?: (row: Row) => string;
  /** The service's name of the field, when it can sort by it. */
  sort?: string;
  /** Numbers and money stand at the end. */
  align?: 'start' | 'end';
  /** Keys and numbers of orders. */
  mono?: boolean;
  /** Not shown until chosen. */
  optional?: boolean;
  /** Shown on phones too; the others are there once they are chosen. */
  narrow?: boolean;
}
