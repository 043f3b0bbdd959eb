import type { Descriptor } from '../descriptor';

export const refundResource = {
  noun: 'refund',
  one: { en: 'a refund', zh: '退款' },
  found: {
    refund: { label: { en: 'Refunds', zh: '退款' } },
  },
} as const satisfies Descriptor;
