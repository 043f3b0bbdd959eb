import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Surroundings } from '@/test/render';
import { useReasonText } from './useReasonText';

test.each([
  ['the amount exceeds the 100 that are due', 'The amount exceeds the ¥1.00 that is due.'],
  ['the order is paid in full', 'The order is paid in full.'],
  ['The customer paid twice.', 'The customer paid twice.'],
])('the reason %j is shown as %j', (reason, text) => {
  const { result } = renderHook(() => useReasonText(), { wrapper: Surroundings });
  expect(result.current(reason)).toBe(text);
});
