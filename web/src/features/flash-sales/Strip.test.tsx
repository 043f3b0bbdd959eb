import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Surroundings } from '@/test/render';
import type { SaleStats } from './queries';
import { Strip } from './Strip';

const sound: SaleStats = {
  allotted: 10_000,
  remaining: 1942,
  queued: 3118,
  processing: 200,
  dead: 2,
  confirmed: 4738,
  rejected: 212,
  returned: 31,
  balanced: true,
  oldestQueuedSeconds: 3.9,
  acceptedPerSecond: 971,
  confirmedPerSecond: 800,
  arrivalsPerSecond: 0,
  refusedPerSecond: { soldOut: 0, limitReached: 0, saleNotOpen: 0, queueFull: 0 },
  refusals: { soldOut: 0, limitReached: 0, saleNotOpen: 0, queueFull: 0 },
  lost: 0,
};

const show = (stats: SaleStats) =>
  render(
    <Surroundings>
      <Strip stats={stats} onReconcile={vi.fn()} isReconciling={false} />
    </Surroundings>,
  );

test('the strip shows every place with its units, and that they add up', () => {
  show(sound);
  expect(screen.getByText(/✓ balanced/)).toBeTruthy();
  expect(screen.getByRole('img', { name: '10,000 allotted, Remaining 1,942, Queued 3,118, Processing 200, Dead 2, Confirmed 4,738' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('missing units are spelled out in an alert', () => {
  show({ ...sound, queued: 3115, balanced: false });
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 9,997 are counted: 3 are missing.');
});

test('units too many are spelled out too', () => {
  show({ ...sound, confirmed: 4739, balanced: false });
  expect(screen.getByRole('alert').textContent).toContain('10,000 units are allotted and 10,001 are counted: 1 too many.');
});
