import { describe, expect, test } from 'vitest';
import { ApiProblem } from '@/api';
import { exact, type Edit } from '@/merge';
import { contentOfConfig, contentOrError, formOf, formOfContent, type ConfigForm } from '@/features/configs/editor/form';
import type { Config } from '@/features/configs/queries';
import { saveUnderGuard, applyLaterInput, type Edited } from './save';

const me = { id: 1, name: 'Me' };
const li = { id: 2, name: 'Li' };
const at = (version: number, value: unknown, remark = '', updatedBy = li): Config => ({
  key: 'a',
  value,
  valueType: 'json',
  remark,
  protected: false,
  secret: false,
  owner: {},
  version,
  etag: `"e${version}"`,
  createdTime: 't',
  updatedTime: 't',
  updatedBy,
});
const stale = (current: Config) => {
  const text = JSON.stringify({ current });
  return new ApiProblem({ code: 'version_conflict', title: '', detail: '', status: 412, requestId: 'r' }, text);
};

/** Returns the responses in turn and records the requests. */
function service(...answers: (Edited<Config> | ApiProblem)[]) {
  const sent: [Edit, string][] = [];
  const send = (edit: Edit, { etag }: { etag: string }): Promise<Edited<Config>> => {
    sent.push([edit, etag]);
    const answer = answers.shift();
    if (answer === undefined) throw new Error('this attempt was not expected');
    return answer instanceof ApiProblem ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { sent, send };
}

const opened = at(1, { list: ['a'], n: 1 });
const base = { etag: opened.etag, version: 1, content: contentOfConfig(opened) };
const typed = (value: unknown, remark = '') => contentOfConfig(at(1, value, remark));
const order = { base, me: me.id, mergesAutomatically: true, contentOf: contentOfConfig, onRebase: () => undefined };

describe('a guarded save', () => {
  test('sends only the changed fields and returns their author', async () => {
    const { sent, send } = service({ ...at(3, { list: ['a'], n: 2 }, 'theirs', me), merged: { fromVersion: 1, keptTheirs: ['/remark'] } });
    const outcome = await saveUnderGuard({ ...order, mine: typed({ list: ['a'], n: 2 }), send });
    expect(sent).toEqual([[exact({ value: { n: 2 } }), '"e1"']]);
    expect(outcome).toMatchObject({ kind: 'saved', record: { version: 3 }, preserved: { pointers: ['/remark'], fromVersion: 1 } });
  });

  test('rebases automatically while lists merge as sets', async () => {
    const { sent, send } = service(stale(at(2, { list: ['a', 'b'], n: 1 })), at(3, { list: ['a', 'b', 'c'], n: 1 }, '', me));
    const outcome = await saveUnderGuard({ ...order, mine: typed({ list: ['a', 'c'], n: 1 }), send });
    expect(sent[1]).toEqual([exact({ value: { list: ['a', 'b', 'c'] } }), '"e2"']);
    expect(outcome).toMatchObject({ kind: 'saved', preserved: { by: li, pointers: ['/value/list'], fromVersion: 1 } });
  });

  test('stops at a contested field', async () => {
    const { sent, send } = service(stale(at(2, { list: ['a'], n: 5 })));
    const outcome = await saveUnderGuard({ ...order, mine: typed({ list: ['a'], n: 2 }), send });
    expect(outcome).toMatchObject({ kind: 'contested', record: { version: 2 } });
    expect(sent).toHaveLength(1);
  });

  test('never merges while the conflict view is open', async () => {
    const { send } = service(stale(at(2, { list: ['a', 'b'], n: 1 })));
    const outcome = await saveUnderGuard({ ...order, mergesAutomatically: false, mine: typed({ list: ['a', 'c'], n: 1 }), send });
    expect(outcome.kind).toBe('contested');
  });

  test('a lost response to the same edit is no conflict', async () => {
    const { send } = service(stale(at(2, { list: ['a'], n: 2 }, '', me)));
    const outcome = await saveUnderGuard({ ...order, mine: typed({ list: ['a'], n: 2 }), send });
    expect(outcome).toMatchObject({ kind: 'saved', record: { version: 2 }, preserved: undefined });
  });

  test('a JSON Patch sets a member to null', async () => {
    const { sent, send } = service(at(2, { list: ['a'], n: null }));
    const outcome = await saveUnderGuard({ ...order, mine: typed({ 'a/b': 1, n: null }), send });
    expect(outcome).toMatchObject({ kind: 'saved', record: { version: 2 } });
    expect(sent).toEqual([
      [
        [
          { op: 'remove', path: '/value/list' },
          { op: 'add', path: '/value/n', value: null },
          { op: 'add', path: '/value/a~1b', value: exact(1) },
        ],
        '"e1"',
      ],
    ]);
  });
});

describe('input during a save', () => {
  const reading = { contentOf: contentOrError, formOf: formOfContent };
  const form = (value: string, remark = ''): ConfigForm => ({ ...formOf(at(1, 0, remark)), value });

  test('is applied to the saved record, also an incomplete document', () => {
    expect(applyLaterInput(reading, form('{"n":2}'), form('{"n":2, "m'), form('{"n":2}', 'theirs'))).toMatchObject({ value: '{"n":2, "m', remark: 'theirs' });
  });

  test('is merged by key path with changes by others', () => {
    const after = applyLaterInput(reading, form('{"n":2}'), form('{"n":3}'), form('{"n":2,"theirs":1}'));
    expect(JSON.parse(after?.value ?? '')).toEqual({ n: 3, theirs: 1 });
  });

  test('waits on its base if it cannot be merged', () => {
    expect(applyLaterInput(reading, form('{"n":2}'), form('{"n":'), form('{"n":2,"theirs":1}'))).toBeUndefined();
  });
});
