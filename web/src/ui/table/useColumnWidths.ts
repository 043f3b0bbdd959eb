import { useState } from 'react';
import { readStored, writeStored } from '@/browser/storage';

/** The minimum width of a column, in pixels: a short word and the sort arrow. */
export const narrowest = 64;
const widest = 1200;

export type Widths = Readonly<Record<string, number>>;

export interface ColumnWidths {
  /** In pixels, by column id; undefined while the browser decides. */
  widths: Widths | undefined;
  /** Sets the width of a column; `now` contains the current widths of all columns. */
  resize: (id: string, width: number, now: Widths) => void;
  /** Returns to automatic widths. */
  reset: () => void;
}

/** The column widths of a table, stored in this browser once the user has changed them. */
export function useColumnWidths(table: string): ColumnWidths {
  const storedAs = `interlock.columnWidths.${table}`;
  const [widths, setWidths] = useState(() => read(storedAs));
  return {
    widths,
    resize: (id, width, now) => {
      const next = { ...widths, ...now, [id]: Math.round(Math.min(widest, Math.max(narrowest, width))) };
      writeStored(storedAs, JSON.stringify(next));
      setWidths(next);
    },
    reset: () => {
      writeStored(storedAs, '');
      setWidths(undefined);
    },
  };
}

function read(name: string): Widths | undefined {
  try {
    const stored = JSON.parse(readStored(name) ?? '') as unknown;
    if (typeof stored !== 'object' || stored === null) return undefined;
    const widths = Object.entries(stored).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= narrowest);
    return widths.length === 0 ? undefined : Object.fromEntries(widths);
  } catch {
    return undefined;
  }
}
