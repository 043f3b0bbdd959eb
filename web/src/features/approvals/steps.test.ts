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
  ['and not once they may not propose such changes', approval({}), author.id, none, []],
  ['somebody else who may still vote decides', approval({ waitingForMe: true }), li.id, none, ['approve', 'reject']],
  ['who has voted already waits', approval({}), li.id, none, []],
  ['the votes can be bypassed by who may', approval({}), author.id, all, ['withdraw', 'bypass']],
  ['and not by who may not read and write what it changes', approval({}), li.id, only('approvals:decide', 'approvals:bypass'), []],
  ['a stale one is rebased by who may propose', approval({ status: 'stale', allowedTransitions: ['withdraw', 'rebase'] }), li.id, all, ['rebase']],
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
  ['a bypass is not reviewed by who made it', approval({ status: 'bypassed', allowedTransitions: ['review'] }), author.id, all, []],
  ['but by somebody else', approval({ status: 'bypassed', allowedTransitions: ['review'] }), li.id, all, ['review']],
] as const)('%s', (_, given, me, may, steps) => {
  expect(stepsOf(given, me, may)).toEqual(steps);
});
