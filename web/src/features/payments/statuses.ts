export const statuses = ['unmatched', 'applied', 'refunded'] as const;
export const methods = ['external', 'wallet'] as const;
