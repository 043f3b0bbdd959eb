import { act, fireEvent, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useUnlessPressed } from './useUnlessPressed';

test('a change during a press appears after the click', async () => {
  const { result, rerender } = renderHook(useUnlessPressed<string>, { initialProps: 'before' });
  rerender('seen at once');
  expect(result.current).toBe('seen at once');

  fireEvent.pointerDown(document.body);
  rerender('moved the button');
  expect(result.current).toBe('seen at once');

  fireEvent.pointerUp(document.body);
  fireEvent.click(document.body);
  expect(result.current).toBe('seen at once');
  await act(() => new Promise((resolve) => setTimeout(resolve)));
  expect(result.current).toBe('moved the button');
});
