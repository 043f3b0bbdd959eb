/** The label of a button within a sentence: without the ellipsis that announces a dialog. */
export const plain = (label: string): string => label.replace(/…$/, '');
