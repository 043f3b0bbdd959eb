import { expect, test } from 'vitest';
import { encode, parse } from '@/merge';
import type { BatchMember, Config } from '../queries';
import { batchOf, conflictVerdicts, mostChanges, planOf, refreshed, refusalVerdicts, unopposed } from './plan';

const config = (key: string, members: Partial<Config> = {}): Config => ({
  key,
  value: 1,
  valueType: 'number',
  remark: '',
  protected: false,
  version: 1,
  etag: `"${key}-1"`,
  createdTime: '2026-01-31T09:30:00.000000Z',
  updatedTime: '2026-01-31T09:30:00.000000Z',
  updatedBy: { id: 7, name: 'Li' },
  ...members,
});
const member = (index: number, more: Partial<BatchMember>): BatchMember => ({ index, key: '', code: 'version_conflict', detail: 'd', ...more });

test('a value is set only where the type is the same and the value another', () => {
  const plan = planOf([config('a'), config('b', { value: 2 }), config('c', { value: 'x', valueType: 'string' })], { kind: 'value', type: 'number', value: 2 });
  expect(plan.eligible.map(({ key }) => key)).toEqual(['a']);
  expect(plan.skipped.map(({ config: { key }, reason }) => [key, reason])).toEqual([
    ['b', 'sameValue'],
    ['c', 'otherType'],
  ]);
});

test('numbers are compared by value and sent as they were typed', () => {
  const exact = parse('9007199254740993');
  expect(planOf([config('a', { value: parse('2.00') })], { kind: 'value', type: 'number', value: 2 }).skipped[0]?.reason).toBe('sameValue');
  expect(encode(batchOf([config('a')], { kind: 'value', type: 'number', value: exact }, 'n'))).toBe(
    '{"note":"n","changes":[{"key":"a","op":"update","etag":"\\"a-1\\"","patch":{"value":9007199254740993}}]}',
  );
});

test('an object replaces another: members that are not in it are removed', () => {
  const json = config('a', { valueType: 'json', value: { keep: 1, drop: 2 } });
  const edit = { kind: 'value', type: 'json', value: { keep: 1, add: 3 } } as const;
  expect(planOf([json], edit).eligible).toHaveLength(1);
  expect(JSON.parse(encode(batchOf([json], edit, '')))).toMatchObject({ changes: [{ patch: { value: { drop: null, add: 3 } } }] });
});

test('a null inside an object, which no merge patch can set, is skipped and said', () => {
  const json = config('a', { valueType: 'json', value: { a: 1 } });
  expect(planOf([json], { kind: 'value', type: 'json', value: { a: null } }).skipped[0]?.reason).toBe('notPatchable');
});

test('what is beyond the most changes of a batch is left for the next', () => {
  const many = Array.from({ length: mostChanges + 2 }, (_, i) => config(`k${i}`));
  const { eligible, skipped } = planOf(many, { kind: 'delete' });
  expect(eligible).toHaveLength(mostChanges);
  expect(skipped.map(({ reason }) => reason)).toEqual(['overLimit', 'overLimit']);
});

test('a remark that is there already is not set again', () => {
  expect(planOf([config('a', { remark: 'r' })], { kind: 'remark', remark: 'r' }).skipped[0]?.reason).toBe('sameRemark');
});

test('after a conflict each row says what stood in its way, and the rest can go on', () => {
  const rows = [config('a'), config('b'), config('c')];
  const theirs = config('b', { version: 2, etag: '"b-2"', value: 5 });
  const verdicts = conflictVerdicts(rows, [member(1, { current: theirs }), member(2, { code: 'not_found' })]);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['stopped', 'changed', 'gone']);
  expect(refreshed(verdicts)).toEqual([rows[0], theirs]);
  expect(unopposed(verdicts)).toEqual([rows[0]]);
});

test('a broken rule is shown at its row', () => {
  const verdicts = refusalVerdicts(
    [config('a'), config('b')],
    [{ pointer: '/changes/1/patch/value', code: 'maximum', message: 'must be at most 1' }],
    ({ message }) => message,
  );
  expect(verdicts.map(({ verdict, detail }) => [verdict, detail])).toEqual([
    ['stopped', ''],
    ['refused', 'value must be at most 1'],
  ]);
});
