import { useMemo } from 'react';
import { useFormat } from '@/i18n';
import { ExactNumber } from '@/merge';

/** A 64-bit integer; one that a float cannot represent is stored as text. */
export type Count = number | ExactNumber;

export const spelled = (count: Count): string => (count instanceof ExactNumber ? count.text : String(count));

/** The successor of a number, as text. */
export const following = (count: Count): string => String(BigInt(spelled(count)) + 1n);

/** The next free sequence number of a writer; `highest` is undefined for a new writer. */
export const nextAfter = (highest: Count | undefined): string => (highest === undefined ? '1' : following(highest));

export interface CountLabels {
  number: (count: Count) => string;
  /** With its sign, for deltas. */
  signed: (count: Count) => string;
}

/** Formats 64-bit integers with all digits. */
export function useCounts(): CountLabels {
  const { number, signed } = useFormat();
  return useMemo(
    () => ({
      number: (count) => number(BigInt(spelled(count))).replace('-', '−'),
      signed: (count) => signed(BigInt(spelled(count))),
    }),
    [number, signed],
  );
}
