import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Surroundings } from '@/test/render';
import { useReasonText } from './useReasonText';

test.each([
  ['the amount exceeds the 100 that are due', 'too_much', 'The amount exceeds the amount that was due.'],
  ['the order is paid in full', 'already_paid', 'The order is paid in full.'],
  ['The customer paid twice.', null, 'The customer paid twice.'],
  [null, null, null],
] as const)('the reason %j with code %j is shown as %j', (reason, reasonCode, text) => {
  const { result } = renderHook(() => useReasonText(), { wrapper: Surroundings });
  expect(result.current({ reason, reasonCode })).toBe(text);
});
