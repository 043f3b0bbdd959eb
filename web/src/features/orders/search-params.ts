export const statuses = ['pending', 'paid', 'shipped', 'completed', 'cancelled'] as const;
export const paymentStatuses = ['unpaid', 'partly_paid', 'paid', 'partly_refunded', 'refunded'] as const;
export const fulfilmentStatuses = ['none', 'partly_shipped', 'shipped'] as const;
export const paymentTerms = ['prepaid', 'on_delivery', 'invoice'] as const;
