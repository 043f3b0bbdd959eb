import { expect, test } from 'vitest';
import { decimalOf } from './decimal';
import { missingOfPosting, missingOfTransfer, openPosting, openTransfer, postingOf, transferOf } from './posting';

test('a debit is sent as a negative amount, a credit as a positive one', () => {
  const form = { ...openPosting(undefined), amount: 1990 };
  expect(postingOf(form).amount).toBe(1990);
  expect(postingOf({ ...form, side: 'debit' }).amount).toBe(-1990);
});

test('each entry has a reference of its own, and what was typed keeps its own', () => {
  const form = openPosting(undefined);
  expect(openPosting(undefined).reference).not.toBe(form.reference);
  expect(openPosting(form)).toEqual(form);
});

test.each([
  [{ amount: null }, ['amount']],
  [{ amount: 0 }, ['amount']],
  [{ kind: 'two words' }, ['kind']],
  [{ reference: ' ' }, ['reference']],
  [{ reference: '@orders/1' }, ['reference']],
  [{}, []],
])('of the entry %j is missing: %j', (change, missing) => {
  expect([...missingOfPosting({ ...openPosting(undefined), amount: 5, ...change })]).toEqual(missing);
});

test.each([
  [{ toUserId: '' }, ['toUserId']],
  [{ fromUserId: 'Li Wei' }, ['fromUserId']],
  [{ toUserId: 'li@example.com' }, ['same']],
  [{ amount: null }, ['amount']],
  [{}, []],
])('of the transfer %j is missing: %j', (change, missing) => {
  const form = { ...openTransfer('li@example.com')(undefined), toUserId: '13', amount: 500, ...change };
  expect([...missingOfTransfer(form)]).toEqual(missing);
});

test('a transfer is sent with both users', () => {
  const form = { ...openTransfer('li@example.com')(undefined), toUserId: '13', amount: 500, reference: ' gift-1 ' };
  expect(transferOf(form)).toEqual({ fromUserId: 'li@example.com', toUserId: '13', amount: 500, reference: 'gift-1' });
});

test.each([
  [0, '0.00'],
  [5, '0.05'],
  [-1990, '-19.90'],
  [9_007_199_254_740_991, '90071992547409.91'],
])('%d minor units are written as %s', (minor, text) => {
  expect(decimalOf(minor)).toBe(text);
});
