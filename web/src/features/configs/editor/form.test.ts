import { describe, expect, test } from 'vitest';
import { encode, parse, type JsonObject } from '@/merge';
import { contentOf, contentOrError, FormError, formOfContent, respelled, type ConfigForm } from './form';

const form = (change: Partial<ConfigForm>): ConfigForm => ({ valueType: 'json', value: '{}', remark: '', schema: '', protected: false, ...change });

test('a content goes through the form without losing a digit', () => {
  const content = parse('{"value":{"a":1.50,"b":9007199254740993},"valueType":"json","remark":"r","protected":true,"schema":{"maximum":1e400}}') as JsonObject;
  expect(encode(contentOf(formOfContent(content)))).toBe(encode(content));
});

test.each([
  ['number', '0.2100', true],
  ['number', '"12.50"', true],
  ['number', '12 apples', false],
  ['number', '{"text":"1"}', false],
  ['number', 'true', false],
  ['boolean', 'true', true],
  ['boolean', '"false"', true],
  ['boolean', '1', false],
  ['json', '[1,', false],
  ['string', 'anything {', true],
] as const)('of a %s the text %s is read or refused', (valueType, value, isRead) => {
  expect(contentOrError(form({ valueType, value })) instanceof FormError).toBe(!isRead);
});

test('what is no JSON is refused with its place, in the schema too', () => {
  const error = contentOrError(form({ schema: '{"type": }' }));
  expect(error).toMatchObject({ field: 'schema', syntax: { offset: 9 } });
});

describe('a text for another type', () => {
  test.each([
    ['string', 'json', '{"a":1}', '{"a":1}'],
    ['string', 'json', 'hello', '"hello"'],
    ['json', 'string', '"hello"', 'hello'],
    ['json', 'string', '{"a":1}', '{"a":1}'],
    ['string', 'boolean', 'yes', 'false'],
    ['number', 'string', '1.50', '1.50'],
    ['string', 'number', '1.50', '1.50'],
  ] as const)('from %s to %s, %s becomes %s', (from, to, text, expected) => {
    expect(respelled(text, from, to)).toBe(expected);
  });
});
