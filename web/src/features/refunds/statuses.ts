export const statuses = ['requested', 'approved', 'unknown', 'failed', 'settled', 'rejected'] as const;
