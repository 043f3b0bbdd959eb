import { expect, test } from 'vitest';
import { upgradeInput } from './upgradeInput';

const blank = { reference: '', amount: 0, when: null as string | null, lines: [{ sku: '', quantity: 1 }], labels: {} };

test('matching input is returned unchanged', () => {
  const typed = { reference: 'r', amount: null, when: '2026-01-01T00:00:00Z', lines: [{ sku: 'TEA', quantity: 2 }], labels: { a: 'b' } };
  expect(upgradeInput(typed, blank)).toBe(typed);
});

test.each([
  ['a missing field', { reference: 'r' }, { ...blank, reference: 'r' }],
  ['a field of another type', { ...blank, amount: '5', lines: 'TEA', labels: [] }, blank],
  [
    'a field of a line',
    { ...blank, lines: [{ sku: 'TEA' }, 'CUP'] },
    {
      ...blank,
      lines: [
        { sku: 'TEA', quantity: 1 },
        { sku: '', quantity: 1 },
      ],
    },
  ],
  ['a draft of another type', ['TEA'], blank],
  ['no draft', undefined, blank],
])('%s gets the value of the empty form', (_, typed, form) => {
  expect(upgradeInput(typed, blank)).toEqual(form);
});
