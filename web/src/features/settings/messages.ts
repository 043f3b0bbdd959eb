import { catalogue } from '@/i18n';

export const settingsMessages = catalogue(
  {
    title: 'Settings',
    approvals: 'Approvals',
    approvalsHint: 'How changes of what is protected are decided, for everybody in this tenant.',
    approvalsRequired: 'Votes that a change takes',
    approvalsRequiredHint: 'From 1 to {most}. Approvals that wait already keep the number that they were told.',
    approvalDays: 'Days that a change waits for its votes',
    approvalDaysHint: 'From 1 to {most}. After that it has expired, and is proposed anew.',
    between: 'A whole number from 1 to {most}.',
    votes: '{n} vote | {n} votes',
    days: '{n} day | {n} days',
    did_create: 'set it up',
    did_update: 'changed it',
    did_upgrade: 'brought it with a new version',
  },
  {
    title: '设置',
    approvals: '审批',
    approvalsHint: '受保护内容的更改如何决定，对本租户所有人生效。',
    approvalsRequired: '更改所需票数',
    approvalsRequiredHint: '1 到 {most}。已在等待的审批保持原定票数。',
    approvalDays: '等待投票的天数',
    approvalDaysHint: '1 到 {most}。逾期即失效，须重新提交。',
    between: '1 到 {most} 的整数。',
    votes: '{n} 票',
    days: '{n} 天',
    did_create: '初始设定',
    did_update: '更改',
    did_upgrade: '随新版本带来',
  },
);
