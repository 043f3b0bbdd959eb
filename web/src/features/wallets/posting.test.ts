import { expect, test } from 'vitest';
import { missingOfPosting, missingOfTransfer, openPosting, openTransfer, postingOf, transferOf } from './posting';

test('a debit is sent as a negative amount, a credit as a positive one', () => {
  const form = { ...openPosting(), amount: 1990 };
  expect(postingOf(form).amount).toBe(1990);
  expect(postingOf({ ...form, side: 'debit' }).amount).toBe(-1990);
});

test('each entry has a reference of its own', () => {
  expect(openPosting().reference).not.toBe(openPosting().reference);
});

test.each([
  [{ amount: null }, ['amount']],
  [{ amount: 0 }, ['amount']],
  [{ kind: 'two words' }, ['kind']],
  [{ reference: ' ' }, ['reference']],
  [{ reference: '@orders/1' }, ['reference']],
  [{}, []],
])('of the entry %j is missing: %j', (change, missing) => {
  expect([...missingOfPosting({ ...openPosting(), amount: 5, ...change })]).toEqual(missing);
});

test.each([
  [{ toUserId: '' }, ['toUserId']],
  [{ fromUserId: 'Li Wei' }, ['fromUserId']],
  [{ toUserId: 'li@example.com' }, ['same']],
  [{ amount: null }, ['amount']],
  [{}, []],
])('of the transfer %j is missing: %j', (change, missing) => {
  const form = { ...openTransfer('li@example.com')(), toUserId: '13', amount: 500, ...change };
  expect([...missingOfTransfer(form)]).toEqual(missing);
});

test('a transfer is sent with both users', () => {
  const form = { ...openTransfer('li@example.com')(), toUserId: '13', amount: 500, reference: ' gift-1 ' };
  expect(transferOf(form)).toEqual({ fromUserId: 'li@example.com', toUserId: '13', amount: 500, reference: 'gift-1' });
});
