import { describe, expect, test } from 'vitest';
import type { ConfigRevision } from '../queries';
import { overwrittenOf, withLost } from './overwritten';

const [me, li] = [
  { id: 1, name: 'Admin' },
  { id: 7, name: 'Li' },
];

type Step = [action: ConfigRevision['action'], by: typeof me, value: unknown, remark?: string];

/** Builds the versions of a key, newest first, from steps in chronological order. */
const history = (...steps: Step[]): ConfigRevision[] =>
  steps
    .map(([action, changedBy, value, remark = ''], i): ConfigRevision => {
      const version = i + 1;
      return {
        revision: version,
        version,
        etag: `"${version}"`,
        action,
        value,
        valueType: 'json',
        remark,
        protected: false,
        secret: false,
        owner: {},
        approvalId: null,
        note: '',
        changedBy,
        changedTime: '',
      };
    })
    .reverse();

describe('an overwritten value', () => {
  test('is reported to its author with the other user and the value', () => {
    const overwritten = overwrittenOf(
      history(['create', li, { a: 1, b: 1 }], ['update', me, { a: 2, b: 1 }, 'mine'], ['overwrite', li, { a: 1, b: 5 }]),
      me.id,
    );
    expect(overwritten?.by.changedBy).toEqual(li);
    expect(overwritten?.mine.version).toBe(2);
    expect(overwritten?.lost).toEqual([
      { pointer: '/remark', before: '', after: 'mine' },
      { pointer: '/value/a', before: 1, after: 2 },
    ]);
  });

  test('is reported across several versions, each path once', () => {
    const overwritten = overwrittenOf(
      history(['create', li, { a: 1 }], ['update', me, { a: 2 }], ['update', me, { a: 3, c: 1 }], ['overwrite', li, { a: 9 }], ['update', li, { a: 10 }]),
      me.id,
    );
    expect(overwritten?.mine.version).toBe(3);
    expect(overwritten?.lost).toEqual([
      { pointer: '/value/a', before: 10, after: 3 },
      { pointer: '/value/c', before: undefined, after: 1 },
    ]);
  });

  test.each<[string, Step[]]>([
    [
      'one did it oneself',
      [
        ['create', li, 1],
        ['update', me, 2],
        ['overwrite', me, 3],
      ],
    ],
    [
      'one has saved since',
      [
        ['create', li, 1],
        ['update', me, 2],
        ['overwrite', li, 3],
        ['update', me, 4],
      ],
    ],
    [
      'it was put back since',
      [
        ['create', li, 1],
        ['update', me, 2],
        ['overwrite', li, 3],
        ['rollback', li, 2],
      ],
    ],
    [
      'others lost theirs',
      [
        ['create', me, { a: 1 }, 'r'],
        ['update', li, { a: 1 }, 's'],
        ['overwrite', { id: 9, name: 'Wu' }, { a: 1 }, 't'],
      ],
    ],
    [
      'an edit merely followed',
      [
        ['create', li, 1],
        ['update', me, 2],
        ['update', li, 3],
      ],
    ],
    [
      'it was another life of the key',
      [
        ['create', li, 1],
        ['update', me, 2],
        ['overwrite', li, 3],
        ['delete', li, 3],
        ['create', li, 4],
      ],
    ],
  ])('is not reported if %s', (_, steps) => {
    expect(overwrittenOf(history(...steps), me.id)).toBeUndefined();
  });

  test('is restored next to other changes, also removals and nulls', () => {
    const content = { value: { a: 1, b: { c: 2 }, gone: true }, remark: 'theirs' };
    const lost = [
      { pointer: '/value/b/c', before: 2, after: null },
      { pointer: '/value/gone', before: true, after: undefined },
      { pointer: '/value/d/e', before: undefined, after: 4 },
    ];
    expect(withLost(content, lost)).toEqual({ value: { a: 1, b: { c: null }, d: { e: 4 } }, remark: 'theirs' });
  });
});
