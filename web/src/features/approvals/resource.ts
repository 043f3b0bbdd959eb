import type { Descriptor } from '../descriptor';

export const approvalResource = {
  noun: 'approval',
  folder: 'approvals',
  label: { en: 'Approval', zh: '审批' },
  one: { en: 'an approval', zh: '审批' },
  found: {
    approval: { label: { en: 'Approvals', zh: '审批' } },
  },
} as const satisfies Descriptor;
