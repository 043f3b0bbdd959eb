import { useMemo } from 'react';
import { useFormat } from '@/i18n';
import { ExactNumber } from '@/merge';

/** A number of 64 bits; one that a float cannot hold is kept by its spelling. */
export type Count = number | ExactNumber;

export const spelled = (count: Count): string => (count instanceof ExactNumber ? count.text : String(count));

/** The number after one, in its spelling. */
export const following = (count: Count): string => String(BigInt(spelled(count)) + 1n);

/** The sequence that a writer has free; the highest is absent for one that has not numbered any. */
export const freeAfter = (highest: Count | undefined): string => (highest === undefined ? '1' : following(highest));

export interface CountWords {
  number: (count: Count) => string;
  /** With its sign, for what is added. */
  signed: (count: Count) => string;
}

/** Writes numbers of 64 bits with every digit. */
export function useCounts(): CountWords {
  const { number, signed } = useFormat();
  return useMemo(
    () => ({
      number: (count) => number(BigInt(spelled(count))).replace('-', '−'),
      signed: (count) => signed(BigInt(spelled(count))),
    }),
    [number, signed],
  );
}
