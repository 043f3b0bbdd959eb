export const statuses = ['pending', 'paid', 'shipped', 'completed', 'cancelled'] as const;
