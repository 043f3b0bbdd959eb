import { expect, test } from 'vitest';
import { encode, parse, type Json, type JsonObject } from '@/merge';
import type { ImportVerdict } from '../queries';
import { base64Of, byKey, importOf, isZip, reasonOf, rowsOf } from './document';

const documentOf = (text: string) => parse(text) as unknown as { configs: Json[] };

test('a document is sent with all digits of its numbers', () => {
  const document = documentOf('{"configs":[{"key":"a","value":1.50}]}');
  expect(encode(importOf(document, 'update', 'n', 'p'))).toBe('{"onExisting":"update","note":"n","preview":"p","configs":[{"key":"a","value":1.50}]}');
});

test('a row with only a value leaves the other fields unchanged', () => {
  const document = documentOf('{"configs":[{"key":"a","value":2,"valueOnly":true}]}');
  const now = byKey('{"configs":[{"key":"a","value":1,"valueType":"number","remark":"old","schema":{"type":"number"}}]}');
  const [row] = rowsOf({ verdicts: [], rows: { update: [0] } }, document, now);
  expect(row?.changes.map(({ pointer }) => pointer)).toEqual(['/value']);
});

test('the bytes of a zip are sent in base64', async () => {
  const zip = new Blob([new Uint8Array([0x50, 0x4b, 3, 4, 0xff])]);
  expect([await isZip(zip), await isZip(new Blob(['PK=1']))]).toEqual([true, false]);
  expect(await base64Of(zip)).toBe('UEsDBP8=');
});

test('a change has the old and the new value, and a new config its value', () => {
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
  expect(b?.changes).toEqual([{ pointer: '/value', before: undefined, after: (document.configs[1] as JsonObject).value }]);
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
