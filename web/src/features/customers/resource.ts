import type { Descriptor } from '../descriptor';

export const customerResource = {
  noun: 'customer',
  one: { en: 'a customer', zh: '客户' },
  found: {
    user: { label: { en: 'Users with orders', zh: '有订单的用户' }, timeline: 'user' },
  },
} as const satisfies Descriptor;
