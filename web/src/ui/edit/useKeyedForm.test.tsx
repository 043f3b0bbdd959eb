// Proves G3.19.

import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiProblem, sessionStore, type ProblemCode } from '@/api';
import { drafts, ownerOf } from '@/browser/drafts';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useKeyedForm } from './useKeyedForm';

interface Form {
  amount: number;
  reference: string;
}

const failure = (code: ProblemCode, status: number) => new ApiProblem({ code, title: '', detail: '', status, requestId: '' });

let references = 0;
const send = vi.fn<(form: Form, key: string) => Promise<string>>();
const onDone = vi.fn();

const open = () =>
  renderHook(
    () =>
      useKeyedForm<Form, string>({
        scope: 'wallets/12/entries',
        title: 'Entry',
        open: () => ({ amount: 0, reference: `ref-${++references}` }),
        send,
        onDone,
      }),
    { wrapper: Surroundings },
  );

beforeEach(() => {
  drafts.clear(ownerOf('default', 7));
  references = 0;
  send.mockReset();
  onDone.mockReset();
  sessionStore.signedIn(session());
});

test('a lost request is retried after a reload with its key', async () => {
  send.mockRejectedValueOnce(failure('no_connection', 0)).mockResolvedValueOnce('done');
  const first = open();
  act(() => first.result.current.change({ amount: 5 }));
  act(() => first.result.current.submit());
  await waitFor(() => expect(first.result.current.outcome).toBe('unknown'));
  first.unmount();

  const second = open();
  expect(second.result.current.outcome).toBe('unknown');
  expect(second.result.current.form).toEqual({ amount: 5, reference: 'ref-1' });
  act(() => second.result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());

  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
  expect(send.mock.calls[0]?.[0]).toEqual({ amount: 5, reference: 'ref-1' });
});

test('unsent input survives a reload with its reference', () => {
  const first = open();
  act(() => first.result.current.change({ amount: 7 }));
  first.unmount();
  expect(open().result.current.form).toEqual({ amount: 7, reference: 'ref-1' });
});

test('a retry after a rejection has a new key', async () => {
  send.mockRejectedValueOnce(failure('insufficient_balance', 409)).mockResolvedValueOnce('done');
  const { result } = open();
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.error).not.toBeNull());
  expect(result.current.outcome).toBe('rejected');
  act(() => result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
  expect(send.mock.calls[1]?.[0]).toEqual(send.mock.calls[0]?.[0]);
});

test('a request with an unknown outcome cannot be edited', async () => {
  send.mockRejectedValue(failure('bad_gateway', 502));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('unknown'));
  expect(result.current.isFixed).toBe(true);
  act(() => result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('edited contents get a new key', async () => {
  send.mockRejectedValue(failure('resource_locked', 423));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('rejected'));
  act(() => result.current.change({ amount: 9 }));
  expect(result.current.error).toBeNull();
  act(() => result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
});

test('discarding deletes the pending request and the input', async () => {
  send.mockRejectedValueOnce(failure('no_connection', 0));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('unknown'));
  act(() => result.current.discard());
  expect(result.current).toMatchObject({ outcome: 'idle', isTouched: false, form: { amount: 0 } });
  expect(open().result.current.outcome).toBe('idle');
});

/** Submits 5 and leaves the request in flight. */
async function openInFlight() {
  let end: (outcome: Promise<string>) => void = () => undefined;
  send.mockReturnValueOnce(new Promise((resolve) => (end = resolve)));
  const dialog = open();
  act(() => dialog.result.current.change({ amount: 5 }));
  act(() => dialog.result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  return { dialog, end: (outcome: Promise<string>) => act(() => end(outcome)) };
}

test('a request in flight cannot be discarded', async () => {
  const { dialog, end } = await openInFlight();
  act(() => dialog.result.current.discard());
  act(() => dialog.result.current.change({ amount: 9 }));
  expect(dialog.result.current).toMatchObject({ outcome: 'sending', isFixed: true, restored: undefined, form: { amount: 5 } });
  end(Promise.reject(failure('no_connection', 0)));
  await waitFor(() => expect(dialog.result.current.outcome).toBe('unknown'));
  send.mockResolvedValueOnce('done');
  act(() => dialog.result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(send.mock.calls[1]).toEqual(send.mock.calls[0]);
});

test('a reopened dialog shows its request in flight', async () => {
  const { dialog, end } = await openInFlight();
  dialog.unmount();
  const { result } = open();
  expect(result.current).toMatchObject({ outcome: 'sending', form: { amount: 5 } });
  act(() => result.current.submit());
  act(() => result.current.discard());
  end(Promise.resolve('done'));
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  await waitFor(() => expect(result.current).toMatchObject({ outcome: 'idle', form: { amount: 0 } }));
  expect(send).toHaveBeenCalledTimes(1);
});

test.each([
  ['is retried under its key', 1, (form: Form, key: string) => send(form, key)],
  ['without a key waits for the user', 0, (form: Form) => send(form, '')],
])('on reconnect, a request with an unknown outcome %s', async (_, repeats, sendOnce) => {
  send.mockRejectedValueOnce(failure('no_connection', 0)).mockResolvedValueOnce('done');
  const options = { scope: 'wallets/12/entries', title: 'Entry', open: () => ({ amount: 0, reference: '' }), send: sendOnce, onDone };
  const { result, unmount } = renderHook(() => useKeyedForm<Form, string>(options), { wrapper: Surroundings });
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('unknown'));
  unmount();
  act(() => void window.dispatchEvent(new Event('online')));
  await waitFor(() => expect(onDone).toHaveBeenCalledTimes(repeats));
  expect(send).toHaveBeenCalledTimes(1 + repeats);
  expect(send.mock.calls.at(-1)).toEqual(send.mock.calls[0]);
});

test('a draft of an earlier release opens with defaults', () => {
  const owner = ownerOf('default', 7);
  const at = { title: 'Entry', page: '/', at: 1 };
  drafts.store({ owner, scope: 'wallets/12/entries' }, { ...at, value: { amount: 7 } });
  expect(open().result.current.form).toEqual({ amount: 7, reference: 'ref-1' });
  drafts.store({ owner, scope: 'wallets/12/entries' }, { ...at, value: { amount: 7 }, sent: { amount: 7, reference: 5 }, key: 'k' });
  expect(open().result.current).toMatchObject({ outcome: 'unknown', form: { amount: 7, reference: 'ref-2' } });
});

test('the etag is added on submit and stays for retries', async () => {
  send.mockRejectedValueOnce(failure('no_connection', 0)).mockResolvedValueOnce('done');
  let tag = 'e1';
  const sealed = () =>
    renderHook(
      () =>
        useKeyedForm<Form, string>({
          scope: 'orders/1/steps/pay',
          title: 'Pay',
          open: () => ({ amount: 1, reference: '' }),
          seal: (form) => ({ ...form, reference: tag }),
          send,
          onDone,
        }),
      { wrapper: Surroundings },
    );
  const first = sealed();
  act(() => first.result.current.submit());
  await waitFor(() => expect(first.result.current.outcome).toBe('unknown'));
  first.unmount();
  tag = 'e2';
  const second = sealed();
  act(() => second.result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(send.mock.calls.map(([form]) => form.reference)).toEqual(['e1', 'e1']);
});

test('an incomplete form is not sent and marks missing values', async () => {
  send.mockResolvedValueOnce('done');
  const { result } = renderHook(
    () =>
      useKeyedForm<Form, string>({
        scope: 'wallets/12/entries',
        title: 'Entry',
        open: () => ({ amount: 0, reference: 'r' }),
        isComplete: ({ amount }) => amount > 0,
        send,
        onDone,
      }),
    { wrapper: Surroundings },
  );
  expect(result.current.strict).toBe(false);
  act(() => result.current.submit());

  expect(result.current.strict).toBe(true);
  expect(send).not.toHaveBeenCalled();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalledWith('done', { amount: 5, reference: 'r' }));
});

test('a proposed form deletes its draft', async () => {
  send.mockRejectedValueOnce(new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":1,"votes":[]}'));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('proposed'));
  expect(result.current).toMatchObject({ form: { amount: 0 }, isTouched: false, error: null });
  expect(onDone).not.toHaveBeenCalled();
  expect(drafts.list(ownerOf('default', 7))).toEqual([]);
});
