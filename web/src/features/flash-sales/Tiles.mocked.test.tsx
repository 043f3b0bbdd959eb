import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Surroundings } from '@/test/render';
import { lastOrderTime, type Sale } from './queries';
import { statsOf } from './stats.fixture';
import { Result } from './Tiles';

vi.mock(import('./queries'), async (original) => ({ ...(await original()), lastOrderTime: vi.fn() }));

const sale = { id: 7, price: 1990, quantity: 100, startsTime: '2026-01-31T10:00:00Z' } as Sale;
const show = (confirmed: number) => {
  const initialData = '2026-01-31T10:02:00Z';
  vi.mocked(lastOrderTime).mockReturnValue({ queryKey: ['last'], queryFn: () => initialData, initialData } as never);
  render(
    <Surroundings>
      <Result sale={sale} stats={statsOf({ allotted: confirmed, confirmed, remaining: 0 })} />
    </Surroundings>,
  );
  return (label: string) => screen.getByText(label).parentElement?.textContent;
};

test('a sold-out sale shows its units, its revenue and the time until it was sold out', () => {
  const tile = show(100);
  expect(tile('Sold out after')).toContain('2 min');
  expect(tile('Sold')).toContain('100% of the offered units');
  expect(tile('Revenue')).toContain('1,990.00');
});

test('a sale that ended with unsold units was not sold out', () => {
  const tile = show(40);
  expect(tile('Sold out after')).toContain('60 unsold');
  expect(tile('Sold out after')).not.toContain('min');
  expect(tile('Sold')).toContain('40% of the offered units');
});
