import type { Descriptor } from '../descriptor';

export const itemResource = {
  noun: 'item',
  one: { en: 'an item', zh: '商品' },
  found: {
    item: { label: { en: 'Items', zh: '商品' }, timeline: 'item' },
  },
} as const satisfies Descriptor;
