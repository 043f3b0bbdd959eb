import { expect, test } from 'vitest';
import { encode, parse } from '@/merge';
import { inOrderOf } from './order';

test('members follow the other order, new ones last, with exact digits', () => {
  const like = parse('{"rate":1,"more":{"b":1,"a":2},"list":[{"y":1,"x":2}]}');
  const value = parse('{"list":[{"x":2,"y":1}],"more":{"a":2.50,"b":1},"new":null,"rate":2}');
  expect(encode(inOrderOf(like, value))).toBe('{"rate":2,"more":{"b":1,"a":2.50},"list":[{"y":1,"x":2}],"new":null}');
});
