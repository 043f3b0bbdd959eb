import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';
import type { OrderStatus } from './queries';

const statuses = catalogue<Record<OrderStatus, string>>(
  { pending: 'Pending', paid: 'Paid', shipped: 'Shipped', completed: 'Completed', cancelled: 'Cancelled' },
  { pending: '待付款', paid: '已付款', shipped: '已发货', completed: '已完成', cancelled: '已取消' },
);

export const orderResource = {
  noun: 'order',
  folder: 'orders',
  label: { en: 'Order', zh: '订单' },
  one: { en: 'an order', zh: '订单' },
  create: { label: { en: 'New order', zh: '新建订单' }, permission: 'orders:write' },
  timeline: 'order',
  found: {
    order: { label: { en: 'Orders', zh: '订单' }, statuses },
  },
} as const satisfies Descriptor;
