import type { Descriptor } from '../descriptor';

export const keyResource = {
  timeline: 'idempotency-key',
  found: {
    'idempotency-key': { label: { en: 'Idempotency keys', zh: '幂等键' } },
  },
} as const satisfies Descriptor;
