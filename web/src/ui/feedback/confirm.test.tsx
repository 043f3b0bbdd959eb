import { MantineProvider } from '@mantine/core';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { LanguageProvider } from '@/i18n';
import { ConfirmProvider, useConfirm, type Confirmation } from './confirm';

test('an open confirmation closes when the page changes', async () => {
  const answers: Confirmation[] = [];
  function Asking() {
    const confirm = useConfirm();
    return <button onClick={() => void confirm({ title: 'End the sale?', confirm: 'End it' }).then((answer) => answers.push(answer))}>End</button>;
  }
  const history = createMemoryHistory({ initialEntries: ['/sales/1'] });
  const router = createRouter({
    history,
    routeTree: createRootRoute({
      component: () => (
        <ConfirmProvider>
          <Asking />
        </ConfirmProvider>
      ),
    }),
  });
  render(
    <LanguageProvider>
      <MantineProvider env="test">
        <RouterProvider router={router as never} />
      </MantineProvider>
    </LanguageProvider>,
  );
  (await screen.findByText('End')).click();
  await screen.findByRole('button', { name: 'End it' });

  act(() => history.push('/sales/2'));

  await waitFor(() => expect(answers).toEqual([undefined]));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'End it' })).toBeNull());
});
