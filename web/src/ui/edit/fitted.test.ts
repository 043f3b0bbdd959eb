import { expect, test } from 'vitest';
import { fitted } from './fitted';

const blank = { reference: '', amount: 0, when: null as string | null, lines: [{ sku: '', quantity: 1 }], labels: {} };

test('what fits is the same object', () => {
  const typed = { reference: 'r', amount: null, when: '2026-01-01T00:00:00Z', lines: [{ sku: 'TEA', quantity: 2 }], labels: { a: 'b' } };
  expect(fitted(typed, blank)).toBe(typed);
});

test.each([
  ['a field that is missing', { reference: 'r' }, { ...blank, reference: 'r' }],
  ['a field of another kind', { ...blank, amount: '5', lines: 'TEA', labels: [] }, blank],
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
  ['another kind of draft', ['TEA'], blank],
  ['no draft', undefined, blank],
])('%s is as in the form with nothing typed', (_, typed, form) => {
  expect(fitted(typed, blank)).toEqual(form);
});
