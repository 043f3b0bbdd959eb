import type { Descriptor } from '../descriptor';

export const itemResource = {
  noun: 'item',
  one: { en: 'an item', zh: '商品' },
  found: {
    item: { label: { en: 'Items', zh: '商品' }, timeline: 'item' },
  },
  deleted: { folder: 'items', label: { en: 'Item', zh: '商品' }, write: 'items:write', name: 'key' },
} as const satisfies Descriptor;
