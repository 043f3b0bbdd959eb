import { catalogue } from '@/i18n';

export const effectMessages = catalogue(
  {
    queue: 'Queued as ticket',
    request: 'Request',
    itself: 'system',
    key: 'key',
    payment: 'Payment {id}',
    return: 'Return {id}',
    refund: 'Refund {id}',
    stock: 'Stock of',
    reserved: '{n} reserved, {available} left to sell',
    shippedOut: '{n} shipped, {available} left to sell',
    returned: '{n} returned, {available} left to sell',
    wallet: 'Wallet',
    balance: 'balance {balance}',
  },
  {
    queue: '抢购凭证',
    request: '请求',
    itself: '系统',
    key: '键',
    payment: '付款 {id}',
    return: '退货 {id}',
    refund: '退款 {id}',
    stock: '库存',
    reserved: '预留 {n}，可售余 {available}',
    shippedOut: '出库 {n}，可售余 {available}',
    returned: '退回 {n}，可售余 {available}',
    wallet: '钱包',
    balance: '余额 {balance}',
  },
);
