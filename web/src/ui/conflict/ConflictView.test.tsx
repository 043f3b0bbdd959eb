import { act, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { RecordForm } from '../edit/RecordForm';
import { useEditing } from '../edit/useEditing';
import { contentOfFields, fieldsOf } from '../edit/labels';

const at = (version: number, name: string, price: number) => ({
  version,
  etag: `"e${version}"`,
  name,
  price,
  updatedBy: { id: 2, name: 'Li' },
  updatedTime: '2026-01-31T09:30:00Z',
});
type Item = ReturnType<typeof at>;
const failure = (code: 'no_connection' | 'version_conflict', members: object = {}) =>
  new ApiProblem({ code, title: '', detail: '', status: 0, requestId: '' }, JSON.stringify(members));

const send = vi.fn<() => Promise<Item>>();
const first = at(1, 'Tea', 10);

function Form() {
  const editing = useEditing<Item, { name: string; price: number }>(
    {
      resource: 'items/TEA',
      title: 'TEA',
      current: first,
      labels: { field: (pointer) => pointer, show: String },
      read: ({ name, price }) => ({ name, price }),
      contentOf: contentOfFields,
      formOf: fieldsOf({ name: '', price: 0 }),
      send,
      onRecord: () => undefined,
    },
    { onSaved: () => undefined, onUndone: () => undefined },
  );
  return (
    <RecordForm editing={editing}>
      <button type="button" onClick={() => editing.change({ price: 12 })}>
        Type
      </button>
    </RecordForm>
  );
}

beforeEach(() => {
  drafts.clear(ownerOf('default', 7));
  sessionStore.signedIn(session());
});

test('a merged save with a lost reply offers only a retry', async () => {
  render(<Form />, { wrapper: Surroundings });
  act(() => screen.getByRole('button', { name: 'Type' }).click());
  send.mockRejectedValueOnce(failure('version_conflict', { current: at(2, 'Tea', 11) }));
  act(() => screen.getByRole('button', { name: /^Save/ }).click());
  const keep = await screen.findByRole('button', { name: /^Keep yours for/ });
  act(() => keep.click());
  send.mockRejectedValueOnce(failure('no_connection'));
  act(() => screen.getByRole('button', { name: 'Save merged · v3' }).click());
  await screen.findByText('The outcome of this request is still unknown.');
  expect(screen.queryByRole('button', { name: /^Save merged/ })).toBeNull();

  send.mockResolvedValueOnce(at(3, 'Tea', 12));
  act(() => screen.getByRole('button', { name: 'Retry' }).click());
  await waitFor(() => expect(screen.queryByText('The outcome of this request is still unknown.')).toBeNull());
  expect(send.mock.calls[2]).toEqual(send.mock.calls[1]);
});
