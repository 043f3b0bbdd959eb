import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { Encoding } from './encoding';
import { useTextFile } from './useTextFile';

test('of two files, the one that was chosen last is read', async () => {
  const pending: ((encodings: Encoding[]) => void)[] = [];
  const onText = vi.fn();
  const { result } = renderHook(() => useTextFile(onText, () => new Promise((resolve) => pending.push(resolve))));
  act(() => ['first', 'second'].forEach((name) => void result.current.take(new File([name], `${name}.csv`))));
  await waitFor(() => expect(pending).toHaveLength(2));
  await act(async () => {
    for (const resolve of pending.reverse()) {
      resolve(['utf-8']);
      await Promise.resolve();
    }
  });
  await waitFor(() => expect(result.current.file?.name).toBe('second.csv'));
  expect(onText.mock.calls.map(([text]: unknown[]) => text)).toEqual(['second']);
});

test('a failed detection can be retried', async () => {
  const failure = new Error('no connection');
  const detect = vi.fn<() => Promise<Encoding[]>>().mockRejectedValueOnce(failure).mockResolvedValue(['utf-8']);
  const onText = vi.fn();
  const { result } = renderHook(() => useTextFile(onText, detect));
  await act(() => result.current.take(new File(['A-1'], 'codes.csv')));
  expect(result.current.file?.failure?.error).toBe(failure);
  act(() => result.current.file?.failure?.retry());
  await waitFor(() => expect(onText).toHaveBeenCalledWith('A-1', expect.anything()));
  expect(result.current.file?.failure).toBeUndefined();
});
