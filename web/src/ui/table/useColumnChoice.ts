import { useState } from 'react';
import { readStored, writeStored } from '@/browser/storage';
import type { Column } from './column';

export interface ColumnChoice<Row> {
  /** Whether each column is shown, by id. */
  visibility: Readonly<Record<string, boolean>>;
  /** Whether each column is exported, by id. Columns that are hidden on phones are exported. */
  exported: Readonly<Record<string, boolean>>;
  toggle: (column: Column<Row>) => void;
  /** All columns in display order. */
  ordered: Column<Row>[];
  /** Moves a column one position towards the start. */
  moveUp: (column: Column<Row>) => void;
}

type Choice = Readonly<Record<string, boolean>>;

/** The visible columns of a table and their order, stored in this browser. Phones have a separate choice. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[], phone: boolean): ColumnChoice<Row> {
  const [order, keepOrder] = useStoredOrder(`interlock.columnOrder.${table}`);
  const [wide, chooseWide] = useStoredChoice(`interlock.columns.${table}`);
  const [narrow, chooseNarrow] = useStoredChoice(`interlock.columns.${table}.phone`);
  const [choice, choose] = phone ? [narrow, chooseNarrow] : [wide, chooseWide];
  const onPhone = (column: Column<Row>) => narrow[column.id] ?? column.narrow === true;
  const onScreen = (column: Column<Row>) => wide[column.id] ?? column.optional !== true;
  const shown = phone ? onPhone : onScreen;
  const byId = (isShown: (column: Column<Row>) => boolean) => Object.fromEntries(columns.map((column) => [column.id, isShown(column)]));
  // A new column, or one that was never moved, has its default position.
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

function useStoredChoice(storedAs: string): [Choice, (choice: Choice) => void] {
  const [choice, setChoice] = useState<Choice>(() => read(storedAs));
  return [
    choice,
    (next) => {
      writeStored(storedAs, JSON.stringify(next));
      setChoice(next);
    },
  ];
}

function useStoredOrder(storedAs: string): [readonly string[], (ids: readonly string[]) => void] {
  const [order, setOrder] = useState<readonly string[]>(() => (readStored(storedAs) ?? '').split(' ').filter(Boolean));
  return [
    order,
    (ids) => {
      writeStored(storedAs, ids.join(' '));
      setOrder(ids);
    },
  ];
}

function read(name: string): Choice {
  try {
    const stored = JSON.parse(readStored(name) ?? '{}') as unknown;
    return typeof stored === 'object' && stored !== null ? (stored as Choice) : {};
  } catch {
    return {};
  }
}
