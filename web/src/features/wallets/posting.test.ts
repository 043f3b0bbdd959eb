import { expect, test } from 'vitest';
import { missingOfPosting, missingOfTransfer, needsOf, openPosting, openTransfer, postingOf, transferOf } from './posting';

test('a debit is sent as a negative amount, a credit as a positive one', () => {
  const form = { ...openPosting(), amount: 1990 };
  expect(postingOf(form).amount).toBe(1990);
  expect(postingOf({ ...form, side: 'debit' }).amount).toBe(-1990);
});

test('each entry has a different reference', () => {
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

test.each([
  ['credit', 500, false],
  ['credit', 501, true],
  ['debit', 500, false],
  ['debit', 501, true],
  ['credit', null, false],
] as const)('a %s of %j above a threshold of 500 needs votes: %j', (side, amount, waits) => {
  const wallet = { userId: 'li', balance: 0, currency: 'CNY', version: 0, etag: null, createdTime: null, updatedTime: null, updatedBy: null };
  const form = { ...openPosting(), side, amount };
  expect(needsOf({ ...wallet, changeNeeds: { above: 500, approvals: 2 } }, form) !== undefined).toBe(waits);
  expect(needsOf(wallet, form)).toBeUndefined();
});
