import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';

const statuses = catalogue(
  { unmatched: 'Unmatched', applied: 'Applied', refunded: 'Refunded' },
  { unmatched: '未匹配', applied: '已入账', refunded: '已退款' },
);

export const paymentResource = {
  noun: 'payment',
  one: { en: 'a payment', zh: '付款' },
  found: {
    payment: { label: { en: 'Payments', zh: '付款' }, statuses },
  },
} as const satisfies Descriptor;
