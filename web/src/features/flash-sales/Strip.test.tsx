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

test('the strip shows every place with its units, and that they add up', () => {
  show(selling());
  expect(screen.getByText(/✓ balanced/)).toBeTruthy();
  expect(screen.getByRole('img', { name: '10,000 allotted, Remaining 1,942, Queued 3,118, Processing 200, Dead 2, Confirmed 4,738' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('missing units are spelled out in an alert', () => {
  show(selling({ queued: 3115, balanced: false }));
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 9,997 are counted: 3 are missing.');
});

test('units too many are spelled out too', () => {
  show(selling({ confirmed: 4739, balanced: false }));
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 10,001 are counted: 1 too many.');
});
