import { expect, test } from 'vitest';
import { isUsername, passwordFault } from './fields';

test.each([
  ['elevenchars', 'passwordShort'],
  ['twelve chars', undefined],
  // Counted in characters, not in bytes or UTF-16 units.
  ['密码密码密码密码密码密', 'passwordShort'],
  ['🔑🔑🔑🔑🔑🔑', 'passwordShort'],
  ['密码密码密码密码密码密码', undefined],
  ['x'.repeat(1024), undefined],
  ['密'.repeat(342), 'passwordLong'],
])('%s as a password: %s', (password, fault) => {
  expect(passwordFault(password)).toBe(fault);
});

test.each([
  ['li', true],
  ['li.wei+1@shop_x-y', true],
  ['0', true],
  ['Li', false],
  ['.li', false],
  ['', false],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
])('%j as a username: %s', (username, isOne) => {
  expect(isUsername(username)).toBe(isOne);
});
