import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ApiProblem } from '@/api';
import { Surroundings } from '@/test/render';
import { ProblemBanner } from './ProblemBanner';

const rejection = new ApiProblem({
  code: 'validation_failed',
  title: 'The request breaks a rule',
  detail: 'The request breaks a rule; nothing was changed.',
  status: 422,
  requestId: 'r',
  fields: [
    { pointer: '/name', code: 'required', message: 'is required' },
    { pointer: '/lines/0/sku', code: 'max', message: 'must have at most 64 characters' },
  ],
});

test('every field error of a rejection is listed', () => {
  render(<ProblemBanner error={rejection} />, { wrapper: Surroundings });
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['/name is required', '/lines/0/sku must have at most 64 characters']);
});

test('errors that an input shows are not listed', () => {
  render(<ProblemBanner error={rejection} hasInput={(pointer) => pointer === '/name'} />, { wrapper: Surroundings });
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['/lines/0/sku must have at most 64 characters']);
});
