// Proves G6.6.

import { expect, test } from 'vitest';
import { encode } from '@/merge';
import type { ImportVerdict } from '../queries';
import { byKey, importOf, longestDocument, mostConfigs, readDocument, reasonOf, rowsOf } from './document';

const documentOf = (text: string) => {
  const read = readDocument(text);
  if ('unusable' in read) throw new Error(read.unusable.kind);
  return read.document;
};

test('a document is sent with its numbers as they were spelled, whatever else the file says', () => {
  const document = documentOf('\ufeff{"exportedTime":"2026-01-31T09:30:00Z","configs":[{"key":"a","value":1.50}]}');
  expect(document.passedOver).toEqual(['exportedTime']);
  expect(encode(importOf(document, 'update', 'n'))).toBe('{"onExisting":"update","note":"n","configs":[{"key":"a","value":1.50}]}');
});

test.each([
  ['{"configs":[\n{"key":"a",}]}', { kind: 'noJson', line: 2 }],
  ['', { kind: 'noJson', line: 1 }],
  ['[]', { kind: 'notExport' }],
  ['{"configs":{}}', { kind: 'notExport' }],
  ['{"configs":[1]}', { kind: 'notExport' }],
  ['{"configs":[]}', { kind: 'empty' }],
  [`{"configs":[${'{},'.repeat(mostConfigs)}{}]}`, { kind: 'tooMany' }],
  [' '.repeat(longestDocument + 1), { kind: 'tooLong' }],
  ['{"configs":[\n{"key":"a","value":"M\ufffdller"}]}', { kind: 'replaced', line: 2 }],
])('a file that cannot be imported says why (case %#)', (text, unusable) => {
  expect(readDocument(text)).toEqual({ unusable });
});

test('beside a change stand the old and the new', () => {
  const document = documentOf('{"configs":[{"key":"a","value":2.0,"remark":"new"},{"key":"b","value":1},{"key":"c","value":{"y":2,"x":1}}]}');
  const now = byKey(
    '{"configs":[{"key":"a","value":1,"valueType":"number","remark":"old","schema":{"type":"number"}},{"key":"c","value":{"x":1,"y":2.0},"valueType":"json","remark":""}]}',
  );
  const [a, b, c] = rowsOf({ verdicts: [], rows: { create: [1], update: [0, 2] } }, document, now);
  expect([a, b, c].map((row) => [row?.key, row?.verdict])).toEqual([
    ['a', 'update'],
    ['b', 'create'],
    ['c', 'update'],
  ]);
  expect(
    a?.changes.map(({ pointer, before, after }) => [pointer, before === undefined ? '' : encode(before), after === undefined ? '' : encode(after)]),
  ).toEqual([
    ['/remark', '"old"', '"new"'],
    ['/schema', '{"type":"number"}', ''],
    ['/value', '1', '2.0'],
  ]);
  expect(b?.changes).toEqual([]);
  expect(c?.changes).toEqual([]);
});

test('a rejected row has its reason, and its key where the list of reasons is full', () => {
  const document = documentOf('{"configs":[{"key":"a"},{"key":"b"},{"value":1}]}');
  const verdicts: ImportVerdict[] = [{ index: 0, key: 'a', verdict: 'invalid', detail: 'Bad.' }];
  expect(rowsOf({ verdicts, rows: { invalid: [0, 1, 2] } }, document, new Map())).toEqual([
    { index: 0, key: 'a', verdict: 'invalid', detail: 'Bad.', changes: [] },
    { index: 1, key: 'b', verdict: 'invalid', changes: [] },
    { index: 2, key: '', verdict: 'invalid', changes: [] },
  ]);
  expect(rowsOf({ verdicts }, document, new Map())).toEqual([{ index: 0, key: 'a', verdict: 'invalid', detail: 'Bad.', changes: [] }]);
});

test('a refused entry says what is wrong with it, without its place in the file', () => {
  expect(
    reasonOf(
      { index: 3, key: 'a', verdict: 'invalid', changes: [], fields: [{ pointer: '/configs/3/value', code: 'type', message: 'must be a number' }] },
      ({ message }) => message,
    ),
  ).toBe('value must be a number');
  expect(reasonOf({ index: 3, key: 'a', verdict: 'conflict', changes: [], detail: 'It exists.' }, ({ message }) => message)).toBe('It exists.');
});
