import { catalogue } from '@/i18n';

export const dashboardMessages = catalogue(
  {
    title: 'Dashboard',

    recent: 'Recent changes',
    allChanges: 'All changes',
    noChanges: 'Nothing has been changed yet.',
    mayNotSee: 'You may not read the audit log, so no changes show here.',
  },
  {
    title: '仪表盘',

    recent: '最近更改',
    allChanges: '全部更改',
    noChanges: '尚无任何更改。',
    mayNotSee: '你无权查看审计日志，因此这里不显示更改。',
  },
);
