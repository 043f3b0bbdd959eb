import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderPage } from '@/test/render';
import { ShownOnce } from './ShownOnce';

const labels = { title: 'Token', warning: 'Shown once', hint: '', secret: 'The token', copy: 'Copy', copied: 'Copied', stored: 'I stored it' };

test.each([
  ['Copied', () => Promise.resolve()],
  ['Copy', () => Promise.reject(new Error('not allowed'))],
])('the button shows %s after the clipboard result', async (name, writeText) => {
  const user = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(writeText);
  await renderPage(
    () => <ShownOnce labels={labels} lines={['ilk_1']} onStored={() => undefined} />,
    () => ({}),
  );
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(write).toHaveBeenCalledWith('ilk_1');
  await waitFor(() => expect(screen.getByRole('button', { name: /^Cop/ }).textContent).toBe(name));
});
