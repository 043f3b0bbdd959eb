import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';
import type { SaleStatus } from './queries';

const statuses = catalogue<Record<SaleStatus, string>>(
  { draft: 'Draft', open: 'Open', paused: 'Paused', closed: 'Closed' },
  { draft: '草稿', open: '进行中', paused: '已暂停', closed: '已关闭' },
);

export const saleResource = {
  noun: 'flash_sale',
  folder: 'flash-sales',
  label: { en: 'Flash sale', zh: '限时抢购' },
  one: { en: 'a flash sale', zh: '限时抢购' },
  create: { label: { en: 'New flash sale', zh: '新建抢购' }, permission: 'flash-sales:write' },
  found: {
    'flash-sale': { label: { en: 'Flash sales', zh: '限时抢购' }, isNamed: true, statuses },
    ticket: { label: { en: 'Tickets', zh: '抢购凭证' }, timeline: 'ticket' },
  },
  deleted: { label: { en: 'Flash sale draft', zh: '抢购草稿' }, name: 'free' },
} as const satisfies Descriptor;
