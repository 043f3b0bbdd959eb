export const statuses = ['open', 'claimed', 'resolved', 'closed'] as const;
export const priorities = ['urgent', 'high', 'normal', 'low'] as const;
