import { expect, test } from 'vitest';
import { encode, parse } from '@/merge';
import type { Item } from '@/ui';
import type { BatchMember, Config } from '../queries';
import { changeOf, conflictResults, rejectionResults, skipReason, undoOf, type BatchForm } from './plan';

const config = (key: string, members: Partial<Config> = {}): Config => ({
  key,
  value: 1,
  valueType: 'number',
  remark: '',
  protected: false,
  secret: false,
  owner: {},
  version: 1,
  etag: `"${key}-1"`,
  createdTime: '2026-01-31T09:30:00.000000Z',
  updatedTime: '2026-01-31T09:30:00.000000Z',
  updatedBy: { id: 7, name: 'Li' },
  ...members,
});
const form = (part: Partial<BatchForm>): BatchForm => ({ kind: 'value', type: 'number', text: '', remark: '', note: '', ...part });
const member = (index: number, more: Partial<BatchMember>): BatchMember => ({ index, key: '', code: 'version_conflict', detail: 'd', ...more });
const items: Item[] = ['a', 'b', 'c'].map((id) => ({ id, label: id }));

test('a value is set only for its type and if it differs', () => {
  const to2 = form({ text: '2' });
  expect(skipReason(config('a'), to2)).toBeUndefined();
  expect(skipReason(config('b', { value: 2 }), to2)).toBe('sameValue');
  expect(skipReason(config('c', { value: 'x', valueType: 'string' }), to2)).toBe('otherType');
});

test('numbers are compared by value and sent as typed', () => {
  expect(skipReason(config('a', { value: parse('2.00') }), form({ text: '2' }))).toBe('sameValue');
  expect(encode(changeOf(config('a'), form({ text: '9007199254740993' })))).toBe(
    '{"key":"a","op":"update","etag":"\\"a-1\\"","patch":{"value":9007199254740993}}',
  );
});

test('an object replaces another and removes other members', () => {
  const json = config('a', { valueType: 'json', value: { keep: 1, drop: 2 } });
  const edit = form({ type: 'json', text: '{"keep":1,"add":3}' });
  expect(skipReason(json, edit)).toBeUndefined();
  expect(JSON.parse(encode(changeOf(json, edit)))).toMatchObject({ patch: { value: { drop: null, add: 3 } } });
});

test('an unsettable null in an object is skipped and reported', () => {
  const json = config('a', { valueType: 'json', value: { a: 1 } });
  expect(skipReason(json, form({ type: 'json', text: '{"a":null}' }))).toBe('notPatchable');
});

test('an equal remark is not set again', () => {
  expect(skipReason(config('a', { remark: 'r' }), form({ kind: 'remark', remark: ' r ' }))).toBe('sameRemark');
});

test('each row has its conflict', () => {
  const theirs = config('b', { version: 2, etag: '"b-2"', value: 5 });
  const results = conflictResults(items, [member(1, { current: theirs }), member(2, { code: 'not_found' })]);
  expect(results.map(({ verdict }) => verdict)).toEqual(['stopped', 'changed', 'gone']);
  expect(results[1]?.current).toBe(theirs);
});

test('a validation error is shown at its row', () => {
  const fields = [{ pointer: '/changes/1/patch/value', code: 'maximum', message: 'must be at most 1' }];
  const results = rejectionResults(items, fields, ({ message }) => message);
  expect(results?.map(({ verdict, said }) => [verdict, said?.text])).toEqual([
    ['stopped', undefined],
    ['rejected', 'value must be at most 1'],
    ['stopped', undefined],
  ]);
  expect(rejectionResults(items, [{ pointer: '/note', code: 'max', message: 'is too long' }], () => '')).toBeUndefined();
});

test('undo of a batch is guarded by its versions', () => {
  const form = (kind: BatchForm['kind'], text = ''): BatchForm => ({ kind, type: 'json', text, remark: 'new', note: '' });
  const before = config('a', { valueType: 'json', value: { keep: 1, drop: 2 }, remark: 'old' });
  expect(undoOf(before, '"a-2"', form('value', '{"keep":1,"add":3}'))).toEqual({
    key: 'a',
    op: 'update',
    etag: '"a-2"',
    patch: { value: { add: null, drop: 2 } },
  });
  expect(undoOf(before, '"a-2"', form('remark'))).toEqual({ key: 'a', op: 'update', etag: '"a-2"', patch: { remark: 'old' } });
  expect(undoOf(before, undefined, form('delete'))).toMatchObject({ key: 'a', op: 'create', patch: { value: { keep: 1, drop: 2 }, remark: 'old' } });
  expect(undoOf(before, undefined, form('remark'))).toBeUndefined();
  expect(undoOf(config('b', { valueType: 'json', value: { a: null } }), '"b-2"', form('value', '{"a":1}')), 'no patch sets a null').toBeUndefined();
});
