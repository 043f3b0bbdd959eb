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

test('what was sent and not answered is asked again as it was, under its key, after a reload', async () => {
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

test('what was typed and not sent is there after a reload, with its reference', () => {
  const first = open();
  act(() => first.result.current.change({ amount: 7 }));
  first.unmount();
  expect(open().result.current.form).toEqual({ amount: 7, reference: 'ref-1' });
});

test('a refusal is an answer: the next attempt has a key of its own and keeps what was typed', async () => {
  send.mockRejectedValueOnce(failure('insufficient_balance', 409)).mockResolvedValueOnce('done');
  const { result } = open();
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.error).not.toBeNull());
  expect(result.current.outcome).toBe('refused');
  act(() => result.current.submit());
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
  expect(send.mock.calls[1]?.[0]).toEqual(send.mock.calls[0]?.[0]);
});

test('what was sent stays as it was while its outcome is not known, whatever is typed', async () => {
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

test('other contents are another request', async () => {
  send.mockRejectedValue(failure('resource_locked', 423));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('refused'));
  act(() => result.current.change({ amount: 9 }));
  expect(result.current.error).toBeNull();
  act(() => result.current.submit());
  await waitFor(() => expect(send).toHaveBeenCalledTimes(2));
  expect(send.mock.calls[1]?.[1]).not.toBe(send.mock.calls[0]?.[1]);
});

test('asking no more forgets what was sent and what was typed', async () => {
  send.mockRejectedValueOnce(failure('no_connection', 0));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('unknown'));
  act(() => result.current.discard());
  expect(result.current).toMatchObject({ outcome: 'idle', isTouched: false, form: { amount: 0 } });
  expect(open().result.current.outcome).toBe('idle');
});

test('what it stands on is added as it is sent, and sent again as it was', async () => {
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

test('what is not complete is not sent, and says what is missing from then on', async () => {
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

test('a form that was proposed keeps nothing of what was typed', async () => {
  send.mockRejectedValueOnce(new ApiProblem({ code: 'proposed', title: '', detail: '', status: 202, requestId: '' }, '{"id":12,"required":1,"votes":[]}'));
  const { result } = open();
  act(() => result.current.change({ amount: 5 }));
  act(() => result.current.submit());
  await waitFor(() => expect(result.current.outcome).toBe('proposed'));
  expect(result.current).toMatchObject({ form: { amount: 0 }, isTouched: false, error: null });
  expect(onDone).not.toHaveBeenCalled();
  expect(drafts.list(ownerOf('default', 7))).toEqual([]);
});
