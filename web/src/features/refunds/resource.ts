import type { Descriptor } from '../descriptor';

export const refundResource = {
  noun: 'refund',
  folder: 'refunds',
  label: { en: 'Refund', zh: '退款' },
  one: { en: 'a refund', zh: '退款' },
  found: {
    refund: { label: { en: 'Refunds', zh: '退款' } },
  },
} as const satisfies Descriptor;
