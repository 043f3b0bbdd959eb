import { act, renderHook, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import type { JsonObject } from '@/merge';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useEditing } from './useEditing';
import { contentOfFields, fieldsOf } from './words';

type Fields = { name: string; price: number | null };
interface Item extends Fields {
  version: number;
  etag: string;
  updatedBy: { id: number; name: string };
  updatedTime: string;
}

const me = { id: 7, name: 'Me' };
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

const send = vi.fn<(patch: JsonObject, etag: string, key: string) => Promise<Item>>();
const overwrite = vi.fn<(patch: JsonObject, etag: string, reason: string, key: string) => Promise<Item>>();
/** Takes back the save that was told last. */
let undo: () => void;

const open = (first: Item) =>
  renderHook(
    () => {
      const [current, setCurrent] = useState(first);
      return useEditing<Item, Fields>(
        {
          resource: 'items/TEA',
          title: 'TEA',
          current,
          words: { place: (pointer) => pointer, show: String },
          read: ({ name, price }) => ({ name, price }),
          contentOf: contentOfFields,
          formOf: fieldsOf<Fields>({ name: '', price: null }),
          send,
          overwrite,
          onRecord: setCurrent,
        },
        { saved: (_, takeBack) => (undo = takeBack), undone: () => undefined },
      );
    },
    { wrapper: Surroundings },
  );
type Opened = ReturnType<typeof open>['result'];

/** Types and saves, until the save is answered or lost. */
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

test('an undo that was not answered gives way to that of the next save, which has a key of its own', async () => {
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
