import { expect, test } from 'vitest';
import type { ConfigRevision } from '../queries';
import { livesOf } from './lives';

const revision = (version: number, action: ConfigRevision['action'], value: unknown): ConfigRevision => ({
  revision: version,
  version,
  action,
  value,
  etag: `"e${version}"`,
  valueType: 'json',
  remark: '',
  note: '',
  protected: false,
  secret: false,
  owner: {},
  approvalId: null,
  changedBy: { id: 1, name: 'Li' },
  changedTime: '2026-01-01T00:00:00Z',
});

test('a recreated key has two lives with separate version counts', () => {
  const lives = livesOf([revision(2, 'update', 5), revision(1, 'create', 4), revision(3, 'delete', 2), revision(2, 'update', 2), revision(1, 'create', 1)]);
  expect(lives.map((life) => life.map(({ revision: { version } }) => version))).toEqual([
    [2, 1],
    [3, 2, 1],
  ]);
});

test('a version lists its changed paths', () => {
  const [life] = livesOf([revision(2, 'update', { a: 1, b: 3 }), revision(1, 'create', { a: 1, b: 2 })]);
  expect(life?.[0]?.changes).toEqual([{ pointer: '/value/b', before: 2, after: 3 }]);
  expect(life?.[1]?.changes).toBeUndefined();
});

test('a version with an unloaded predecessor lists no changes', () => {
  expect(livesOf([revision(7, 'update', 1)])[0]?.[0]?.changes).toBeUndefined();
});

test('a version that changed only a hidden value says so', () => {
  const secret = (version: number, change: Partial<ConfigRevision>) => ({
    ...revision(version, 'update', null),
    secret: true,
    masked: true as const,
    ...change,
  });
  const [life] = livesOf([secret(3, { remark: 'r' }), secret(2, {}), secret(1, {})]);
  expect(life?.map(({ changes }) => changes?.map(({ pointer }) => pointer))).toEqual([['/remark'], ['/value'], undefined]);
});
