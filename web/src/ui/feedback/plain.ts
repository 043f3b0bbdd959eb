/** The words of a button in the middle of a sentence: without the dots that say that it asks first. */
export const plain = (words: string): string => words.replace(/…$/, '');
