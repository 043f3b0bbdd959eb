import { expect, test } from 'vitest';
import { stepsOf } from './next';

test.each([
  ['prepaid', ['pay', 'cancel'], 100, ['pay', 'cancel']],
  ['prepaid', ['cancel', 'ship'], 0, ['ship', 'cancel']],
  ['invoice', ['pay', 'ship', 'cancel'], 100, ['ship', 'pay', 'cancel']],
  ['on_delivery', [], 100, ['pay']],
  ['on_delivery', ['complete'], 0, ['complete']],
  ['prepaid', ['pay', 'cancel'], 0, ['pay', 'cancel']],
  ['prepaid', [], 0, []],
] as const)('a %s order that allows %j with %s due has the steps %j', (paymentTerms, allowed, due, steps) => {
  expect(stepsOf({ paymentTerms, allowedTransitions: [...allowed], due })).toEqual(steps);
});
