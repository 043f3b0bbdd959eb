import { expect, test } from 'vitest';
import { isComplete } from './fields';

test.each([
  ['the least', 1, 1, true],
  ['the most', 10, 90, true],
  ['no votes', 0, 7, false],
  ['too many votes', 11, 7, false],
  ['too many days', 2, 91, false],
  ['nothing typed', null, 7, false],
])('whether %s can be sent', (_, approvalsRequired, approvalDays, can) => {
  expect(isComplete({ approvalsRequired, approvalDays })).toBe(can);
});
