import type { Descriptor } from '../descriptor';

export const stockResource = {
  noun: 'inventory',
  folder: 'inventory',
  label: { en: 'Stock of', zh: '库存' },
  timeline: 'item',
  one: { en: 'stock', zh: '库存' },
} as const satisfies Descriptor;
