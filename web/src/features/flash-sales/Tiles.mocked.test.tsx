import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Surroundings } from '@/test/render';
import { saleSamples, type Sale } from './queries';
import { statsOf } from './stats.fixture';
import { Result } from './Tiles';

vi.mock(import('./queries'), async (original) => ({ ...(await original()), saleSamples: vi.fn() }));

const sale = { id: 7, price: 1990, quantity: 100, startsTime: '2026-01-31T10:00:00Z' } as Sale;
const sample = (minute: number, remaining: number, allotted: number) => ({
  at: Date.parse(sale.startsTime) + minute * 60_000,
  stats: statsOf({ remaining, allotted }),
});

const show = (confirmed: number, samples: ReturnType<typeof sample>[]) => {
  vi.mocked(saleSamples).mockReturnValue({ queryKey: ['samples'], queryFn: () => samples, initialData: samples } as never);
  render(
    <Surroundings>
      <Result sale={sale} stats={statsOf({ allotted: confirmed, confirmed, remaining: 0 })} />
    </Surroundings>,
  );
  return (label: string) => screen.getByText(label).parentElement?.textContent;
};

test('a sold-out sale shows its units, its revenue and the time until it was sold out', () => {
  const tile = show(100, [sample(1, 40, 100), sample(2, 0, 100)]);
  expect(tile('Sold out after')).toContain('2 min');
  expect(tile('Sold')).toContain('100% of the offered units');
  expect(tile('Revenue')).toContain('1,990.00');
});

test('a sale that ended with unsold units was not sold out', () => {
  const tile = show(40, [sample(1, 60, 100), sample(2, 0, 40)]);
  expect(tile('Sold out after')).toContain('60 unsold');
  expect(tile('Sold out after')).not.toContain('min');
  expect(tile('Sold')).toContain('40% of the offered units');
});
