import { describe, expect, test } from 'vitest';
import { encode, parse, patchOf, threeWay, type JsonObject } from '@/merge';
import { contentOf, contentOfConfig, contentOrError, FormError, formOf, formOfContent, respelled, type ConfigForm } from './form';

const form = (change: Partial<ConfigForm>): ConfigForm => ({
  valueType: 'json',
  value: '{}',
  remark: '',
  schema: '',
  protected: false,
  secret: false,
  masked: '',
  ...change,
});

test('content passes through the form with exact digits', () => {
  const content = parse(
    '{"value":{"a":1.50,"b":9007199254740993},"valueType":"json","remark":"r","protected":true,"secret":false,"schema":{"maximum":1e400}}',
  ) as JsonObject;
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
] as const)('of a %s the text %s is read or rejected', (valueType, value, isRead) => {
  expect(contentOrError(form({ valueType, value })) instanceof FormError).toBe(!isRead);
});

test('invalid JSON is rejected with its position, also in the schema', () => {
  const error = contentOrError(form({ schema: '{"type": }' }));
  expect(error).toMatchObject({ field: 'schema', syntax: { offset: 9 } });
});

describe('a text after a change of type', () => {
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

describe('a hidden value', () => {
  const at = (etag: string) => ({ valueType: 'json', value: null, remark: 'r', protected: false, secret: true, masked: true, etag }) as const;

  test('is not in the patch unless the user enters one', () => {
    const base = contentOf(formOf(at('1')));
    expect(patchOf(base, contentOf({ ...formOf(at('1')), remark: 'other' }))).toEqual({ remark: 'other' });
    expect(encode(patchOf(base, contentOf({ ...formOf(at('1')), masked: '', value: '{"a":1}' })))).toBe('{"value":{"a":1}}');
  });

  test('may change with each version, so only its author overwrites it', () => {
    const [base, theirs] = [at('1'), at('2')].map((config) => contentOf(formOf(config)));
    const mine = contentOf({ ...formOf(at('1')), masked: '', value: '"new"' });
    expect(threeWay(base ?? null, mine, theirs ?? null).conflicts.map(({ pointer }) => pointer)).toEqual(['/value']);
    const elsewhere = contentOf({ ...formOf(at('1')), remark: 'other' });
    const { merged } = threeWay(base ?? null, elsewhere, theirs ?? null);
    expect(patchOf(theirs ?? {}, merged as JsonObject)).toEqual({ remark: 'other' });
  });

  test('is not displayed as a difference', () => {
    expect(contentOfConfig(at('1'))).toEqual(contentOfConfig(at('2')));
  });

  test('returns into the form', () => {
    expect(formOfContent(contentOf(formOf(at('1'))))).toEqual(formOf(at('1')));
  });
});
