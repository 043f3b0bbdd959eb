import { useMemo } from 'react';
import { useLanguage } from '@/i18n';
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
  const { language } = useLanguage();
  return useMemo(() => {
    const plain = new Intl.NumberFormat(language);
    const withSign = new Intl.NumberFormat(language, { signDisplay: 'exceptZero' });
    const minus = (text: string) => text.replace('-', '−');
    return {
      number: (count) => minus(plain.format(BigInt(spelled(count)))),
      signed: (count) => minus(withSign.format(BigInt(spelled(count)))),
    };
  }, [language]);
}
