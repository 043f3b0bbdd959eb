import type { Descriptor } from '../descriptor';

export const customerResource = {
  noun: 'customer',
  folder: 'customers',
  label: { en: 'Customer', zh: '客户' },
  one: { en: 'a customer', zh: '客户' },
  timeline: 'user',
  found: {
    user: { label: { en: 'Users with orders', zh: '有订单的用户' } },
  },
} as const satisfies Descriptor;
