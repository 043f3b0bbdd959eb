import { expect, test } from 'vitest';
import { encode, parse, type Json } from '@/merge';
import { factsOf, changesIn } from './places';
import type { Side } from './queries';

const config = (value: string, over: object = {}) => ({ value: parse(value), valueType: 'json', remark: 'r', protected: true, etag: 'x', version: 3, ...over });
const side = (base: unknown, proposed: unknown, current: unknown, resource = 'configs/a') => ({ resource, base, proposed, current }) as Side;
const text = (value: Json | undefined) => (value === undefined ? undefined : encode(value));

test('proposed changes are first, later changes next to them, with exact digits', () => {
  const places = changesIn(side(config('{"a":1.50,"b":1}'), config('{"a":2.50,"b":1}'), config('{"a":1.70,"b":1}', { remark: 'theirs' })));
  expect(places.map(({ isProposed }) => isProposed)).toEqual([true, false]);
  expect(
    places.map(({ pointer, base, proposed, current, hasMoved }) => [pointer, text(base as Json), text(proposed as Json), text(current as Json), hasMoved]),
  ).toEqual([
    ['/value/a', '1.50', '2.50', '1.70', true],
    ['/remark', '"r"', '"r"', '"theirs"', true],
  ]);
});

test('a version alone or unchanged fields are no difference', () => {
  expect(changesIn(side(config('1'), config('2'), config('1', { etag: 'y', version: 4 })))).toMatchObject([{ pointer: '/value', hasMoved: false }]);
});

test('a deletion removes every field, and a deleted config has none', () => {
  const deleted = changesIn(side(config('1'), null, null));
  expect(deleted.map(({ pointer }) => pointer)).toContain('/value');
  expect(deleted.every(({ proposed, current, hasMoved }) => proposed === undefined && current === undefined && hasMoved)).toBe(true);
});

test('a refund approval shows the complete refund', () => {
  const refund = (status: string) => ({ orderNo: '20261124-A', userId: 'li', amount: 30000, method: 'wallet', reason: 'late', requestedBy: 'Ana', status });
  const one = side(refund('requested'), refund('settled'), refund('requested'), 'refunds/1');
  expect(changesIn(one).map(({ pointer }) => pointer)).toEqual(['/status']);
  expect(factsOf(one).map(({ pointer, value }) => [pointer, text(value as Json)])).toEqual([
    ['/amount', '30000'],
    ['/userId', '"li"'],
    ['/orderNo', '"20261124-A"'],
    ['/method', '"wallet"'],
    ['/reason', '"late"'],
    ['/requestedBy', '"Ana"'],
  ]);
  expect(factsOf(side(config('1'), config('2'), config('1')))).toEqual([]);
});
