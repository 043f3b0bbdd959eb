import { useState } from 'react';
import { recall, remember } from '@/browser/storage';
import type { Column } from './column';

/** Which columns of a table are shown, kept in this browser. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[]) {
  const storedAs = `interlock.columns.${table}`;
  const [choice, setChoice] = useState<Readonly<Record<string, boolean>>>(() => read(storedAs));
  const shown = (column: Column<Row>) => choice[column.id] ?? column.optional !== true;
  return {
    visibility: Object.fromEntries(columns.map((column) => [column.id, shown(column)])),
    toggle: (column: Column<Row>) => {
      const next = { ...choice, [column.id]: !shown(column) };
      remember(storedAs, JSON.stringify(next));
      setChoice(next);
    },
  };
}

function read(name: string): Record<string, boolean> {
  try {
    const kept = JSON.parse(recall(name) ?? '{}') as unknown;
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, boolean>) : {};
  } catch {
    return {};
  }
}
