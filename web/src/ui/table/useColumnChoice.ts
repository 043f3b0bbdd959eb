import { useState } from 'react';
import { recall, remember } from '@/browser/storage';
import type { Column } from './column';

export interface ColumnChoice<Row> {
  /** By id, which columns are shown. */
  visibility: Readonly<Record<string, boolean>>;
  /** The same for a file, which has room for what a phone has not. */
  exported: Readonly<Record<string, boolean>>;
  toggle: (column: Column<Row>) => void;
  /** All columns, in the order that they are shown in. */
  ordered: Column<Row>[];
  /** Moves a column one place to the front. */
  moveUp: (column: Column<Row>) => void;
}

type Choice = Readonly<Record<string, boolean>>;

/** Which columns of a table are shown and in which order, kept in this browser; phones have a choice of their own. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[], phone: boolean): ColumnChoice<Row> {
  const [order, keepOrder] = useKeptOrder(`interlock.columnOrder.${table}`);
  const [wide, chooseWide] = useKeptChoice(`interlock.columns.${table}`);
  const [narrow, chooseNarrow] = useKeptChoice(`interlock.columns.${table}.phone`);
  const [choice, choose] = phone ? [narrow, chooseNarrow] : [wide, chooseWide];
  const onPhone = (column: Column<Row>) => narrow[column.id] ?? column.narrow === true;
  const onScreen = (column: Column<Row>) => wide[column.id] ?? column.optional !== true;
  const shown = phone ? onPhone : onScreen;
  const byId = (isShown: (column: Column<Row>) => boolean) => Object.fromEntries(columns.map((column) => [column.id, isShown(column)]));
  // One that is new, or that nobody moved, stands where the page has it.
  const place = (column: Column<Row>) => (order.includes(column.id) ? order.indexOf(column.id) : columns.indexOf(column));
  const ordered = columns.toSorted((a, b) => place(a) - place(b) || columns.indexOf(a) - columns.indexOf(b));
  return {
    ordered,
    moveUp: (column) => {
      const ids = ordered.map(({ id }) => id);
      const at = ids.indexOf(column.id);
      if (at < 1) return;
      ids.splice(at - 1, 2, column.id, ids[at - 1] ?? '');
      keepOrder(ids);
    },
    visibility: byId(shown),
    exported: byId((column) => onScreen(column) || shown(column)),
    toggle: (column) => choose({ ...choice, [column.id]: !shown(column) }),
  };
}

function useKeptChoice(storedAs: string): [Choice, (choice: Choice) => void] {
  const [choice, setChoice] = useState<Choice>(() => read(storedAs));
  return [
    choice,
    (next) => {
      remember(storedAs, JSON.stringify(next));
      setChoice(next);
    },
  ];
}

function useKeptOrder(storedAs: string): [readonly string[], (ids: readonly string[]) => void] {
  const [order, setOrder] = useState<readonly string[]>(() => (recall(storedAs) ?? '').split(' ').filter(Boolean));
  return [
    order,
    (ids) => {
      remember(storedAs, ids.join(' '));
      setOrder(ids);
    },
  ];
}

function read(name: string): Choice {
  try {
    const kept = JSON.parse(recall(name) ?? '{}') as unknown;
    return typeof kept === 'object' && kept !== null ? (kept as Choice) : {};
  } catch {
    return {};
  }
}
