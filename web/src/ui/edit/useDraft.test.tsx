import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { readStored, storedNames } from '@/browser/storage';
import { session } from '@/test/service';
import { encode, parse } from '@/merge';
import { useDraft } from './useDraft';

interface Config {
  version: number;
  etag: string;
  value: string;
  remark: string;
  updatedTime: string;
}

const at = (version: number, value: string, remark = 'r'): Config => ({ version, etag: `"e${version}"`, value, remark, updatedTime: `t${version}` });
const read = ({ value, remark }: Config) => ({ value, remark });

const open = (first: Config) =>
  renderHook(({ current }) => useDraft({ resource: 'configs/a', title: 'a', current, read }), { initialProps: { current: first } });
const storedDraft = () =>
  storedNames('interlock.draft/')
    .filter((name) => name.endsWith('/configs/a'))
    .map(readStored)[0] ?? null;

beforeEach(() => {
  [7, 8].forEach((user) => drafts.clear(ownerOf('default', user)));
  sessionStore.signedIn(session());
});

test('an unedited form follows the record and lists changes', () => {
  const { result, rerender } = open(at(17, 'a'));
  rerender({ current: at(18, 'b') });

  expect(result.current.value.value).toBe('b');
  expect(result.current.base.version).toBe(18);
  expect(result.current.followed).toEqual(['/value']);
  expect(result.current.newer).toBeUndefined();
});

test('the base of an edited form never changes', () => {
  const { result, rerender } = open(at(17, 'a'));
  act(() => result.current.setValue((before) => ({ ...before, value: 'mine' })));
  rerender({ current: at(18, 'theirs', 'their remark') });

  expect(result.current.base).toMatchObject({ version: 17, etag: '"e17"' });
  expect(result.current.value).toEqual({ value: 'mine', remark: 'r' });
  expect(result.current.newer?.version).toBe(18);
});

test('input survives a reload with its base version', () => {
  const first = open(at(17, 'a'));
  act(() => first.result.current.setValue({ value: 'mine', remark: 'r' }));
  first.unmount();

  const { result } = open(at(19, 'theirs'));

  expect(result.current.value.value).toBe('mine');
  expect(result.current.base.version).toBe(17);
  expect(result.current.isDirty).toBe(true);
  expect(result.current.restored).toBeGreaterThan(0);
  expect(result.current.newer?.version).toBe(19);
});

test('opening a draft does not change its time', () => {
  vi.useFakeTimers({ now: 1000 });
  const first = open(at(17, 'a'));
  act(() => first.result.current.setValue({ value: 'mine', remark: 'r' }));
  first.unmount();
  vi.setSystemTime(5000);
  const { result } = open(at(17, 'a'));
  expect(result.current.restored).toBe(1000);
  expect(drafts.list(ownerOf('default', 7))[0]?.at).toBe(1000);
  act(() => result.current.setValue({ value: 'mine, and more', remark: 'r' }));
  expect(drafts.list(ownerOf('default', 7))[0]?.at).toBe(5000);
  vi.useRealTimers();
});

test('conflict choices survive a reload with their digits', () => {
  const first = open(at(17, 'a'));
  act(() => first.result.current.setValue({ value: 'mine', remark: 'r' }));
  act(() => first.result.current.choose({ '/value': { kind: 'other', value: parse('1.50') } }));
  first.unmount();

  const { choices } = open(at(17, 'a')).result.current;
  expect(encode(choices['/value'] as never)).toBe('{"kind":"other","value":1.50}');
});

test('a save sets the base; later stale reads are ignored', () => {
  const { result, rerender } = open(at(17, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  act(() => result.current.saved(at(18, 'mine')));
  rerender({ current: at(17, 'a') });

  expect(result.current.base.version).toBe(18);
  expect(result.current.value.value).toBe('mine');
  expect(result.current.isDirty).toBe(false);
  expect(storedDraft()).toBeNull();
});

test('a stale read of version 1 is no recreated record', () => {
  const { result, rerender } = open(at(1, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  act(() => result.current.saved(at(2, 'mine')));
  rerender({ current: at(1, 'a') });
  rerender({ current: at(2, 'mine') });

  expect(result.current.base.version).toBe(2);
  expect(result.current.followed).toEqual([]);
});

test('a merge rebases the form and preserves the input', () => {
  const { result } = open(at(17, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  act(() => result.current.rebase(at(19, 'theirs', 'their remark'), { value: 'mine', remark: 'their remark' }));

  expect(result.current.base).toMatchObject({ version: 19, value: { value: 'theirs', remark: 'their remark' } });
  expect(result.current.isDirty).toBe(true);
  expect(storedDraft()).toContain('"version":19');
});

test('discarding shows the newest version and deletes the draft', () => {
  const { result, rerender } = open(at(17, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  rerender({ current: at(18, 'theirs') });
  act(() => result.current.discard());

  expect(result.current.value.value).toBe('theirs');
  expect(result.current.base.version).toBe(18);
  expect(storedDraft()).toBeNull();
});

test('restoring the original value leaves nothing to save', () => {
  const { result } = open(at(17, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  act(() => result.current.setValue({ value: 'a', remark: 'r' }));

  expect(result.current.isDirty).toBe(false);
  expect(storedDraft()).toBeNull();
});

test('a draft is not shown to another user', () => {
  const first = open(at(17, 'a'));
  act(() => first.result.current.setValue({ value: 'mine', remark: 'r' }));
  first.unmount();
  sessionStore.signedIn(session(8));

  expect(open(at(17, 'a')).result.current.isDirty).toBe(false);
});

test('a recreated record is newer than the base', () => {
  const { result, rerender } = open(at(17, 'a'));
  act(() => result.current.setValue({ value: 'mine', remark: 'r' }));
  rerender({ current: { ...at(1, 'new'), etag: '"other"' } });

  expect(result.current.newer?.etag).toBe('"other"');
  expect(result.current.base.version).toBe(17);
});
