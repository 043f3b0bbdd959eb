import { catalogue } from '@/i18n';

export const orderReturnMessages = catalogue(
  {
    title: 'Returns',
    none: 'No returns.',
    number: 'Return {id}',
    request: 'Request a return…',
    requestTitle: 'Return of order {number}',
    confirm: 'Request the return',
    units: 'Units to return',
    ofShipped: '{sku} · {n} with the customer',
    done: 'Return {id} was requested.',
  },
  {
    title: '退货',
    none: '没有退货。',
    number: '退货 {id}',
    request: '申请退货…',
    requestTitle: '订单 {number} 退货',
    confirm: '申请退货',
    units: '退货件数',
    ofShipped: '{sku} · 客户持有 {n} 件',
    done: '已申请退货 {id}。',
  },
);
