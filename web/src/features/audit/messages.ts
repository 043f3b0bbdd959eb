import { catalogue } from '@/i18n';

export const auditMessages = catalogue(
  {
    title: 'Audit log',
    time: 'Time',
    who: 'Who',
    action: 'Action',
    resource: 'What',
    note: 'Reason',
    request: 'Request',
    unit: 'Unit',
    filterResource: 'What, such as configs/checkout.tax',
    filterActor: 'Who',
    empty: 'Nothing has been changed yet',
    emptyHint: 'Every change is written here together with the change itself.',
  },
  {
    title: '审计日志',
    time: '时间',
    who: '操作人',
    action: '操作',
    resource: '对象',
    note: '原因',
    request: '请求',
    unit: '工作单元',
    filterResource: '对象，例如 configs/checkout.tax',
    filterActor: '操作人',
    empty: '还没有更改',
    emptyHint: '每次更改都会与更改本身一同写入此处。',
  },
);
