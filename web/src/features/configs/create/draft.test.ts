import { expect, test } from 'vitest';
import { encode } from '@/merge';
import { emptyDraft, fieldAt, indented, readDraft, readValue } from './draft';

test('a number is sent as typed', () => {
  const { body, faults } = readDraft({ ...emptyDraft, key: 'shop.tax', valueType: 'number', text: ' 7.50 ', remark: ' percent ' });
  expect(faults).toEqual({});
  expect(encode(body)).toBe('{"key":"shop.tax","valueType":"number","value":7.50,"remark":"percent"}');
});

test('a string is sent with all its spaces', () => {
  expect(readValue('string', ' a\n')).toEqual({ value: ' a\n' });
  expect(readValue('string', '')).toEqual({ value: '' });
});

test.each(['', '1e', '01', '.5', '1,5', 'NaN', '0x10', '1 2'])('%j is not a number', (text) => {
  expect(readValue('number', text)).toEqual({ fault: { kind: 'number' } });
});

test('a JSON error has its line and column', () => {
  expect(readValue('json', '{\n  "a": 1,\n  b: 2\n}')).toEqual({ fault: { kind: 'json', line: 3, column: 3 } });
  expect(readValue('json', '')).toEqual({ fault: { kind: 'json', line: 1, column: 1 } });
});

test.each(['', 'a b', 'a~b', '配置', 'k'.repeat(201)])('%j is not a key', (key) => {
  expect(readDraft({ ...emptyDraft, key }).faults.key).toEqual({ kind: 'key' });
});

test('a schema is an object or a boolean, and omitted when empty', () => {
  expect(readDraft({ ...emptyDraft, key: 'a', schema: '[1]' }).faults.schema).toEqual({ kind: 'schemaShape' });
  expect(readDraft({ ...emptyDraft, key: 'a', schema: ' ' }).body).not.toHaveProperty('schema');
  expect(encode(readDraft({ ...emptyDraft, key: 'a', schema: '{"minimum": 1.0}' }).body.schema ?? null)).toBe('{"minimum":1.0}');
});

test('a rejection is shown at its input', () => {
  expect(fieldAt('/value/rate')).toEqual({ field: 'value', within: '/rate' });
  expect(fieldAt('/valueType')).toEqual({ field: 'value', within: '' });
  expect(fieldAt('/schema/type')).toEqual({ field: 'schema', within: '/type' });
  expect(fieldAt('/other')).toBeUndefined();
});

test('indenting leaves invalid JSON unchanged', () => {
  expect(indented('{"a":1.0}')).toBe('{\n  "a": 1.0\n}');
  expect(indented('{a')).toBe('{a');
});
