import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';
import type { ReturnStatus } from './queries';

const statuses = catalogue<Record<ReturnStatus, string>>(
  { requested: 'Requested', received: 'Received', closed: 'Closed', rejected: 'Rejected' },
  { requested: '待收货', received: '已收货', closed: '已结束', rejected: '已拒绝' },
);

export const returnResource = {
  noun: 'return',
  one: { en: 'a return', zh: '退货' },
  found: {
    return: { label: { en: 'Returns', zh: '退货' }, statuses },
  },
} as const satisfies Descriptor;
