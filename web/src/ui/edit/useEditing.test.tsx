import { act, renderHook, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import type { Edit, JsonObject } from '@/merge';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useEditing, type EditingOptions } from './useEditing';
import { contentOfFields, fieldsOf } from './labels';

type Fields = { name: string; price: number | null };
interface Item extends Fields {
  version: number;
  etag: string;
  updatedBy: { id: number; name: string };
  updatedTime: string;
}

const me = { id: 7, name: 'Me' };
const li = { id: 2, name: 'Li' };
const at = (version: number, name: string, price: number, updatedBy = me): Item => ({
  version,
  etag: `"e${version}"`,
  name,
  price,
  updatedBy,
  updatedTime: 't',
});
const failure = (code: ProblemCode, members: object = {}) =>
  new ApiProblem({ code, title: '', detail: '', status: 400, requestId: '' }, JSON.stringify(members));
const lost = () => failure('no_connection');
const stale = (current: Item) => failure('version_conflict', { current });

const send = vi.fn<(edit: Edit, etag: string, key: string) => Promise<Item>>();
const overwrite = vi.fn<(edit: Edit, etag: string, reason: string, key: string) => Promise<Item>>();
/** Undoes the last reported save. */
let undo: () => void;
/** The last reported save. */
let lastSaved: unknown;
/** Replaces the current record, as a refetch does. */
let arrive: (record: Item) => void;

const flat: Pick<EditingOptions<Item, Fields>, 'contentOf' | 'formOf'> = { contentOf: contentOfFields, formOf: fieldsOf({ name: '', price: null }) };

const open = (first: Item, reading = flat) =>
  renderHook(
    () => {
      const [current, setCurrent] = useState(first);
      arrive = setCurrent;
      return useEditing<Item, Fields>(
        {
          resource: 'items/TEA',
          title: 'TEA',
          current,
          labels: { field: (pointer) => pointer, show: String },
          read: ({ name, price }) => ({ name, price }),
          ...reading,
          send,
          overwrite,
          onRecord: setCurrent,
        },
        {
          onSaved: (saved, takeBack) => {
            lastSaved = saved;
            undo = takeBack;
          },
          onUndone: () => undefined,
        },
      );
    },
    { wrapper: Surroundings },
  );
type Opened = ReturnType<typeof open>['result'];

/** Edits and saves, and waits for the outcome. */
async function save(editing: Opened, part: Partial<Fields>): Promise<void> {
  act(() => editing.current.change(part));
  act(() => editing.current.save());
  await waitFor(() => expect(editing.current.outcome).not.toBe('sending'));
}

beforeEach(() => {
  drafts.clear(ownerOf('default', 7));
  send.mockReset();
  overwrite.mockReset();
  sessionStore.signedIn(session());
});

test('a new undo replaces a lost one, with another key', async () => {
  send.mockResolvedValueOnce(at(2, 'Oolong', 10));
  const { result } = open(at(1, 'Tea', 10));
  await save(result, { name: 'Oolong' });
  send.mockRejectedValueOnce(lost());
  act(() => undo());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));

  send.mockResolvedValueOnce(at(3, 'Oolong', 20));
  await save(result, { price: 20 });
  send.mockResolvedValueOnce(at(4, 'Oolong', 10));
  act(() => undo());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(4));
  const [, first, , second] = send.mock.calls;
  expect(second?.slice(0, 2)).toEqual([{ price: 10 }, '"e3"']);
  expect(second?.[2]).not.toBe(first?.[2]);
});

/** Runs into a conflict with Li, resolves it, and loses the response. */
async function loseResolved(): Promise<ReturnType<typeof open>> {
  const opened = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(stale(at(2, 'Assam', 12, li)));
  await save(opened.result, { name: 'Oolong' });
  expect(opened.result.current.isComparing).toBe(true);
  send.mockRejectedValueOnce(lost());
  act(() => opened.result.current.saveResolved({ name: 'Oolong or Assam', price: 12 }, at(2, 'Assam', 12, li)));
  await waitFor(() => expect(opened.result.current.outcome).toBe('unknown'));
  return opened;
}

test.each([
  ['immediately', false],
  ['after a reload', true],
])('a lost resolved save is retried %s, with key and etag', async (_, isReloaded) => {
  const opened = await loseResolved();
  let { result } = opened;
  if (isReloaded) {
    opened.unmount();
    result = open(at(2, 'Assam', 12, li)).result;
    expect(result.current.outcome).toBe('unknown');
  }
  send.mockResolvedValueOnce(at(3, 'Oolong or Assam', 12));
  act(() => result.current.save());
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  expect(send.mock.calls[2]).toEqual(send.mock.calls[1]);
  expect(send.mock.calls[2]?.slice(0, 2)).toEqual([{ name: 'Oolong or Assam' }, '"e2"']);
  expect(result.current).toMatchObject({ isComparing: false, draft: { isDirty: false, value: { name: 'Oolong or Assam', price: 12 } } });
});

test('a retry after another conflict shows the latest version', async () => {
  const { result } = await loseResolved();
  send.mockRejectedValueOnce(stale(at(3, 'Darjeeling', 12, li)));
  act(() => result.current.save());
  await waitFor(() => expect(result.current.theirs?.version).toBe(3));
  expect(result.current).toMatchObject({ outcome: 'idle', isComparing: true, draft: { value: { name: 'Oolong' } } });
});

test('a retry sends the original input and preserves later input', async () => {
  const { result } = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(lost());
  await save(result, { name: 'Oolong' });
  act(() => result.current.change({ price: 20 }));
  send.mockResolvedValueOnce(at(2, 'Oolong', 10));
  act(() => result.current.save());
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
  expect(result.current.draft).toMatchObject({ isDirty: true, base: { version: 2 }, value: { name: 'Oolong', price: 20 } });
});

test('an undo restores the value before a lost save', async () => {
  const { result } = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(lost());
  await save(result, { name: 'Oolong' });
  act(() => arrive(at(2, 'Oolong', 10)));
  send.mockResolvedValueOnce(at(2, 'Oolong', 10));
  act(() => result.current.save());
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  send.mockResolvedValueOnce(at(3, 'Tea', 10));
  act(() => undo());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(3));
  expect(send.mock.calls[2]?.slice(0, 2)).toEqual([{ name: 'Tea' }, '"e2"']);
});

test('a lost overwrite is retried with reason and key', async () => {
  const { result } = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(stale(at(2, 'Assam', 12, li)));
  await save(result, { name: 'Oolong' });
  overwrite.mockRejectedValueOnce(lost());
  act(() => result.current.overwrite?.('agreed with Li'));
  await waitFor(() => expect(result.current.outcome).toBe('unknown'));
  overwrite.mockResolvedValueOnce(at(3, 'Oolong', 10));
  act(() => result.current.save());
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  expect(overwrite.mock.calls[1]).toEqual(overwrite.mock.calls[0]);
  expect(overwrite.mock.calls[1]?.slice(0, 3)).toEqual([{ name: 'Oolong' }, '"e1"', 'agreed with Li']);
  expect(result.current.draft.isDirty).toBe(false);
});

const waits = () => new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":1,"votes":[]}');

test('a proposed save resets the form and deletes the draft', async () => {
  const { result } = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(waits());
  await save(result, { name: 'Oolong' });
  expect(lastSaved).toMatchObject({ kind: 'proposed', approval: { id: 12 } });
  expect(result.current).toMatchObject({ outcome: 'idle', error: null, current: { version: 1 }, draft: { isDirty: false, value: { name: 'Tea' } } });
  expect(drafts.list(ownerOf('default', 7))).toEqual([]);
});

test('input during a proposal stays', async () => {
  const { result } = open(at(1, 'Tea', 10));
  let answer: (error: Error) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((_, reject) => (answer = reject)));
  act(() => result.current.change({ name: 'Oolong' }));
  act(() => result.current.save());
  await waitFor(() => expect(send).toHaveBeenCalled());
  act(() => result.current.change({ price: 12 }));
  answer(waits());
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  expect(result.current.draft.value).toEqual({ name: 'Tea', price: 12 });
});

test('a proposed overwrite closes the comparison and deletes choices', async () => {
  const { result } = open(at(1, 'Tea', 10));
  send.mockRejectedValueOnce(stale(at(2, 'Assam', 12, li)));
  await save(result, { name: 'Oolong' });
  act(() => result.current.draft.choose({ '/name': { kind: 'yours' } }));
  overwrite.mockRejectedValueOnce(waits());
  act(() => result.current.overwrite?.('agreed with Li'));
  await waitFor(() => expect(result.current.outcome).toBe('idle'));
  expect(result.current).toMatchObject({ isComparing: false, draft: { isDirty: false, choices: {}, value: { name: 'Assam' } } });
});

/** The fields as members of an object, each of which can be null. */
const nested = { contentOf: (value: Fields): JsonObject => ({ value }), formOf: ({ value }: JsonObject) => value as Fields };
const setsNull = (name: keyof Fields) => [{ op: 'add', path: `/value/${name}`, value: null }];

test('an overwrite sets a member to null', async () => {
  const { result } = open(at(1, 'Tea', 10), nested);
  send.mockRejectedValueOnce(stale(at(2, 'Tea', 12, li)));
  await save(result, { price: null });
  expect(result.current.isComparing).toBe(true);
  overwrite.mockResolvedValueOnce({ ...at(3, 'Tea', 0), price: null });
  act(() => result.current.overwrite?.('agreed with Li'));
  await waitFor(() => expect(result.current.draft.base.version).toBe(3));
  expect(overwrite.mock.calls[0]?.slice(0, 3)).toEqual([setsNull('price'), '"e1"', 'agreed with Li']);
});

test('an undo sets a member to null again', async () => {
  send.mockResolvedValueOnce(at(2, 'Tea', 10));
  const { result } = open({ ...at(1, 'Tea', 0), price: null }, nested);
  await save(result, { price: 10 });
  send.mockResolvedValueOnce({ ...at(3, 'Tea', 0), price: null });
  act(() => undo());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  expect(send.mock.calls[1]?.slice(0, 2)).toEqual([setsNull('price'), '"e2"']);
});
