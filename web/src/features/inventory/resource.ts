import type { Descriptor } from '../descriptor';

export const stockResource = {
  noun: 'inventory',
  one: { en: 'stock', zh: '库存' },
} as const satisfies Descriptor;
