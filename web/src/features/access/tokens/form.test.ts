import { expect, test } from 'vitest';
import { expiryOf } from './expiry';
import { blankToken, faultOf, isComplete, requestOf } from './form';

const now = Date.parse('2026-03-01T12:00:00Z');
const day = 86_400_000;
const at = (days: number) => new Date(now + days * day).toISOString();

test('full access needs an explicit choice', () => {
  const till = { ...blankToken, name: ' till ' };
  expect(faultOf(till, 'scopes', now)).toBe('scopesNeeded');
  expect(isComplete(till, now)).toBe(false);
  expect(requestOf({ ...till, scopes: 'items:read\norders:*' }, now)).toEqual({ name: 'till', scopes: ['items:read', 'orders:*'] });
  // Scopes are not sent once all permissions are selected.
  expect(requestOf({ ...till, rights: 'all', scopes: 'items:read' }, now)).toEqual({ name: 'till' });
});

test('a token for another user has only its chosen scopes', () => {
  const theirs = { ...blankToken, name: 'till', rights: 'all' as const, userId: 7 };
  expect(faultOf(theirs, 'scopes', now)).toBe('scopesNeeded');
  expect(requestOf({ ...theirs, scopes: 'orders:read' }, now)).toEqual({ name: 'till', userId: 7, scopes: ['orders:read'] });
});

test('a token expires as chosen, by default after 90 days', () => {
  const till = { ...blankToken, name: 'till', rights: 'all' as const };
  expect(requestOf({ ...till, lasts: '7' }, now).expiresTime).toBe(at(7));
  expect(requestOf({ ...till, lasts: '90' }, now).expiresTime).toBeUndefined();
  expect(requestOf({ ...till, lasts: 'other', until: at(3) }, now).expiresTime).toBe(at(3));
  expect([null, at(-1), at(1)].map((until) => faultOf({ ...till, lasts: 'other', until }, 'expiresTime', now))).toEqual([
    'untilNeeded',
    'untilNeeded',
    undefined,
  ]);
});

test.each([
  [null, 'endless'],
  [at(30), 'running'],
  [at(14), 'soon'],
  [at(0), 'expired'],
  [at(-1), 'expired'],
] as const)('a token that ends at %s is %s', (expiresTime, state) => {
  expect(expiryOf(expiresTime, now)).toBe(state);
});
