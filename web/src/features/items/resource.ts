import type { Descriptor } from '../descriptor';

export const itemResource = {
  noun: 'item',
  folder: 'items',
  label: { en: 'Item', zh: '商品' },
  one: { en: 'an item', zh: '商品' },
  create: { label: { en: 'New item', zh: '新建商品' }, permission: 'items:write' },
  timeline: 'item',
  found: {
    item: { label: { en: 'Items', zh: '商品' } },
  },
  deleted: { name: 'key' },
} as const satisfies Descriptor;
