import { fireEvent, render } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { useKeys } from './keys';

function Bound({ keys }: { keys: Record<string, () => void> }) {
  useKeys(keys);
  return <input aria-label="text" />;
}

test('a key sequence calls only its handler', () => {
  const [go, open] = [vi.fn(), vi.fn()];
  render(<Bound keys={{ 'g o': go, o: open }} />);
  fireEvent.keyDown(document.body, { key: 'g' });
  fireEvent.keyDown(document.body, { key: 'o' });
  expect([go.mock.calls.length, open.mock.calls.length]).toEqual([1, 0]);
  fireEvent.keyDown(document.body, { key: 'o' });
  expect([go.mock.calls.length, open.mock.calls.length]).toEqual([1, 1]);
});

test('the newest component takes a key until it is removed', () => {
  const [below, above] = [vi.fn(), vi.fn()];
  render(<Bound keys={{ n: below }} />);
  const second = render(<Bound keys={{ n: above }} />);
  fireEvent.keyDown(document.body, { key: 'n' });
  second.unmount();
  fireEvent.keyDown(document.body, { key: 'n' });
  expect([below.mock.calls.length, above.mock.calls.length]).toEqual([1, 1]);
});

test('keys that enter text, and keys with Ctrl, call nothing', () => {
  const act = vi.fn();
  const { container } = render(<Bound keys={{ n: act }} />);
  fireEvent.keyDown(container.querySelector('input') ?? container, { key: 'n' });
  fireEvent.keyDown(document.body, { key: 'n', ctrlKey: true });
  expect(act).not.toHaveBeenCalled();
});
