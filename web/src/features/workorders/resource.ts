import { catalogue } from '@/i18n';
import type { Descriptor } from '../descriptor';
import type { WorkOrderStatus } from './queries';

const statuses = catalogue<Record<WorkOrderStatus, string>>(
  { open: 'Open', claimed: 'Claimed', resolved: 'Resolved', closed: 'Closed' },
  { open: '待领取', claimed: '处理中', resolved: '已解决', closed: '已关闭' },
);

export const workOrderResource = {
  noun: 'work_order',
  folder: 'work-orders',
  label: { en: 'Work order', zh: '工单' },
  one: { en: 'a work order', zh: '工单' },
  create: { label: { en: 'New work order', zh: '新建工单' }, permission: 'work-orders:write' },
  found: {
    'work-order': { label: { en: 'Work orders', zh: '工单' }, isNamed: true, statuses },
  },
} as const satisfies Descriptor;
