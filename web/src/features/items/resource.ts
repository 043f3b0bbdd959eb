import type { Descriptor } from '../descriptor';

export const itemResource = {
  noun: 'item',
  folder: 'items',
  label: { en: 'Item', zh: '商品' },
  one: { en: 'an item', zh: '商品' },
  timeline: 'item',
  found: {
    item: { label: { en: 'Items', zh: '商品' } },
  },
  deleted: { write: 'items:write', name: 'key' },
} as const satisfies Descriptor;
