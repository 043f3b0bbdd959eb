import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Surroundings } from '@/test/render';
import type { SaleStats } from './queries';
import { selling } from './stats.fixture';
import { Strip } from './Strip';

const show = (stats: SaleStats) =>
  render(
    <Surroundings>
      <Strip stats={stats} onReconcile={vi.fn()} isReconciling={false} />
    </Surroundings>,
  );

test('the strip shows every count and their sum', () => {
  show(selling());
  expect(screen.getByText(/✓ balanced/)).toBeTruthy();
  expect(screen.getByRole('img', { name: '10,000 allotted, Remaining 1,942, Queued 3,118, Processing 200, Dead 2, Confirmed 4,738' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('missing units are shown in an alert', () => {
  show(selling({ queued: 3115, balanced: false }));
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 9,997 are counted: 3 are missing.');
});

test('surplus units are shown in an alert', () => {
  show(selling({ confirmed: 4739, balanced: false }));
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 10,001 are counted: 1 too many.');
});
