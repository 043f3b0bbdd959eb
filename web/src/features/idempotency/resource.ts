import type { Descriptor } from '../descriptor';

export const keyResource = {
  found: {
    'idempotency-key': { label: { en: 'Idempotency keys', zh: '幂等键' }, timeline: 'idempotency-key' },
  },
} as const satisfies Descriptor;
