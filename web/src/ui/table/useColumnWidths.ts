import { useState } from 'react';
import { recall, remember } from '@/browser/storage';

/** The narrowest that a column can be made, in pixels: a short word and the arrow of its order. */
export const narrowest = 64;
const widest = 1200;

export type Widths = Readonly<Record<string, number>>;

export interface ColumnWidths {
  /** In pixels, by the ids of columns; undefined while the browser decides. */
  widths: Widths | undefined;
  /** Makes a column as wide as asked, given how wide all are now. */
  resize: (id: string, width: number, now: Widths) => void;
  /** Leaves it to the browser again. */
  reset: () => void;
}

/** How wide the columns of a table are, kept in this browser once somebody has said so. */
export function useColumnWidths(table: string): ColumnWidths {
  const storedAs = `interlock.columnWidths.${table}`;
  const [widths, setWidths] = useState(() => read(storedAs));
  return {
    widths,
    resize: (id, width, now) => {
      const next = { ...widths, ...now, [id]: Math.round(Math.min(widest, Math.max(narrowest, width))) };
      remember(storedAs, JSON.stringify(next));
      setWidths(next);
    },
    reset: () => {
      remember(storedAs, '');
      setWidths(undefined);
    },
  };
}

function read(name: string): Widths | undefined {
  try {
    const kept = JSON.parse(recall(name) ?? '') as unknown;
    if (typeof kept !== 'object' || kept === null) return undefined;
    const widths = Object.entries(kept).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= narrowest);
    return widths.length === 0 ? undefined : Object.fromEntries(widths);
  } catch {
    return undefined;
  }
}
