export const statuses = ['requested', 'received', 'closed', 'rejected'] as const;
