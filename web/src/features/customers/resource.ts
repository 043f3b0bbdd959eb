import type { Descriptor } from '../descriptor';

export const customerResource = {
  found: {
    user: { label: { en: 'Users with orders', zh: '有订单的用户' }, timeline: 'user' },
  },
} as const satisfies Descriptor;
