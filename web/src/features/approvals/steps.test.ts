import { expect, test } from 'vitest';
import type { Approval } from '@/api';
import { stepsOf } from './useDecide';

const author = { id: 7, name: 'Me' };
const li = { id: 2, name: 'Li' };
const approval = (over: Partial<Approval>) =>
  ({
    status: 'pending',
    allowedTransitions: ['approve', 'reject', 'withdraw'],
    author,
    kind: 'config.update',
    statusBy: author,
    waitingForMe: false,
    ...over,
  }) as Approval;
const all = () => true;
const none = () => false;
const only =
  (...permissions: string[]) =>
  (permission: string) =>
    permissions.includes(permission);

test.each([
  ['its author can only withdraw it', approval({}), author.id, only('configs:write'), ['withdraw']],
  ['and not without the permission to propose', approval({}), author.id, none, []],
  ['another user with an open vote decides', approval({ waitingForMe: true }), li.id, none, ['approve', 'reject']],
  ['a user who has voted waits', approval({}), li.id, none, []],
  ['users with permission bypass the votes', approval({}), author.id, all, ['withdraw', 'bypass']],
  ['and not without permission for the changed record', approval({}), li.id, only('approvals:decide', 'approvals:bypass'), []],
  ['a stale one is rebased by a user who may propose', approval({ status: 'stale', allowedTransitions: ['withdraw', 'rebase'] }), li.id, all, ['rebase']],
  [
    'and withdrawn by them too where its author is disabled',
    approval({ status: 'stale', allowedTransitions: ['withdraw', 'rebase'], waitingForMe: true }),
    li.id,
    all,
    ['withdraw', 'rebase'],
  ],
  [
    'a scheduled one is rejected by who may decide, whether it took votes or not',
    approval({ status: 'scheduled', allowedTransitions: ['reject', 'withdraw'] }),
    li.id,
    only('approvals:decide', 'configs:read'),
    ['reject'],
  ],
  ['and withdrawn by its author', approval({ status: 'scheduled', allowedTransitions: ['reject', 'withdraw'] }), author.id, all, ['withdraw']],
  ['a bypass is not reviewed by its author', approval({ status: 'bypassed', allowedTransitions: ['review'] }), author.id, all, []],
  ['but by another user', approval({ status: 'bypassed', allowedTransitions: ['review'] }), li.id, all, ['review']],
] as const)('%s', (_, given, me, may, steps) => {
  expect(stepsOf(given, me, may)).toEqual(steps);
});
