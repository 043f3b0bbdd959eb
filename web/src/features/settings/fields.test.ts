import { expect, test } from 'vitest';
import { settingsForm, type SettingsFields } from './fields';

const form = settingsForm({ plainMoney: (minor) => (minor / 100).toFixed(2), minorDigits: 2 });
const fields = (part: Partial<SettingsFields>): SettingsFields => ({
  approvalsRequired: 1,
  approvalDays: 7,
  refundApprovalThreshold: '',
  walletApprovalThreshold: '',
  selfApproval: false,
  timeZone: 'UTC',
  unpaidOrderMinutes: null,
  ...part,
});

test.each([
  ['the least', { approvalsRequired: 1, approvalDays: 1 }, true],
  ['the most', { approvalsRequired: 10, approvalDays: 90 }, true],
  ['no votes', { approvalsRequired: 0 }, false],
  ['too many votes', { approvalsRequired: 11 }, false],
  ['too many days', { approvalDays: 91 }, false],
  ['nothing typed', { approvalsRequired: null }, false],
  ['no time zone', { timeZone: ' ' }, false],
  ['too few minutes', { unpaidOrderMinutes: 4 }, false],
  ['the fewest minutes', { unpaidOrderMinutes: 5 }, true],
  ['an amount', { refundApprovalThreshold: '50.5' }, true],
  ['an invalid amount', { walletApprovalThreshold: 'fifty' }, false],
  ['too many decimals', { walletApprovalThreshold: '1.999' }, false],
])('whether %s can be sent', (_, part: Partial<SettingsFields>, can) => {
  expect(form.isComplete(fields(part))).toBe(can);
});

test('an empty amount is absent, and an invalid one is an error', () => {
  expect(form.contentOf(fields({ refundApprovalThreshold: '50', walletApprovalThreshold: ' ' }))).toEqual({
    approvalsRequired: 1,
    approvalDays: 7,
    refundApprovalThreshold: 5000,
    selfApproval: false,
    timeZone: 'UTC',
    unpaidOrderMinutes: 0,
  });
  expect(form.contentOf(fields({ refundApprovalThreshold: 'fifty' }))).toMatchObject({ refundApprovalThreshold: 'fifty' });
  expect(form.read(form.contentOf(fields({ refundApprovalThreshold: '0' })))).toMatchObject({ refundApprovalThreshold: '0.00' });
});
