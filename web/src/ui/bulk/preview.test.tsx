import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { useDetection, usePreview } from './preview';

const file = { kind: 'items', key: 'sku', label: 'SKU' } as const;
const reply = {
  encoding: 'windows-1252',
  encodings: ['windows-1252', 'macintosh'],
  separator: 'comma',
  decimal: null,
  hasHeader: true,
  isMapped: true,
  columns: [{ header: 'SKU', use: 'sku', example: 'Müller' }],
  rows: [{ line: 2, lastLine: 2, values: { sku: 'Müller' } }],
  rejected: [],
};

beforeEach(() => sessionStore.signedIn(session()));

test('a file is uploaded once, and another text is read', async () => {
  const upload = vi.fn(() => Promise.resolve(Response.json(reply)));
  vi.stubGlobal('fetch', upload);
  const { result, rerender } = renderHook(({ text }) => ({ detect: useDetection(file, []), read: usePreview(file, [], text, undefined) }), {
    wrapper: Surroundings,
    initialProps: { text: '' },
  });
  const detected = await act(() => result.current.detect(Uint8Array.of(0x53, 0x4b, 0x55, 0x0a, 0x4d, 0xfc)));
  expect(detected).toEqual(reply.encodings);
  rerender({ text: 'SKU\nMü' });
  await waitFor(() => expect(result.current.read.preview?.rows).toHaveLength(1));
  expect(upload).toHaveBeenCalledTimes(1);
  rerender({ text: 'SKU\nMx' });
  await waitFor(() => expect(upload).toHaveBeenCalledTimes(2));
});
