import { expect, test } from 'vitest';
import { emptyStep } from './queries';
import { faultOf, isOwn } from './steps';

test.each([
  ['an approval has no inputs', 'approve', {}, undefined],
  ['a rejection needs a reason', 'reject', { reason: ' ' }, 'needed'],
  ['and takes one', 'reject', { reason: 'Twice' }, undefined],
  ['a settlement needs a reference', 'settle', { reason: 'Twice' }, 'needed'],
  ['a reserved reference is rejected', 'settle', { reference: '@refunds/1' }, 'noReserved'],
  ['another reference is accepted', 'settle', { reference: 'PSP-1' }, undefined],
  ['a failure needs a reason', 'fail', {}, 'needed'],
  ['an unknown outcome needs a reason', 'unknown', {}, 'needed'],
] as const)('%s', (_, action, typed, fault) => {
  expect(faultOf(action, { ...emptyStep, ...typed })).toBe(fault);
});

test('other users approve a refund; a service’s refund has no requester', () => {
  expect(isOwn({ requestedBy: { id: 7, name: 'Li' } }, 7)).toBe(true);
  expect(isOwn({ requestedBy: { id: 7, name: 'Li' } }, 8)).toBe(false);
  expect(isOwn({ requestedBy: { id: 0, name: '' } }, 0)).toBe(false);
});
