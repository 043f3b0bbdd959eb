import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { RoleChoices } from './RoleChoices';

const items = [
  { name: 'admin', permissions: ['*'] },
  { name: 'support', permissions: ['orders:read'] },
];

let chosen: string;

/** Renders the choices for a user with some permissions. */
function open(mine: string[], base: string) {
  const one = session();
  sessionStore.signedIn({ ...one, user: { ...one.user, permissions: mine } });
  chosen = base;
  function Choices() {
    const [value, setValue] = useState(base);
    const change = (next: string) => {
      chosen = next;
      setValue(next);
    };
    return <RoleChoices value={value} base={base} onChange={change} />;
  }
  render(<Choices />, { wrapper: Surroundings });
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

beforeEach(() => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ items, nextCursor: null, total: items.length, totalIsExact: true }), { status: 200 })),
  );
});
afterEach(() => void vi.unstubAllGlobals());

test('a role with missing permissions is disabled and names them', async () => {
  open(['users:*', 'access:read', 'orders:*'], '');
  await screen.findByText('It includes *, which you do not have, so you cannot assign or remove it.');
  expect(box('admin').disabled).toBe(true);
  await userEvent.click(box('support'));
  expect(chosen).toBe('support');
  await userEvent.click(box('support'));
  expect(chosen).toBe('');
});

test('roles with missing permissions cannot be removed, deleted roles can', async () => {
  open(['users:*', 'access:read'], 'admin\nrenamed');
  await screen.findByText('It includes *, which you do not have, so you cannot assign or remove it.');
  expect(box('admin').disabled).toBe(true);
  await userEvent.click(box('renamed'));
  expect(chosen).toBe('admin');
});

test('without permission to read roles their names are shown', async () => {
  open(['users:*'], 'support');
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'Roles' });
  expect(input.value).toBe('support');
  await userEvent.type(input, ', night shift, ');
  expect(chosen).toBe('night shift\nsupport');
  expect(input.value).toBe('support, night shift, ');
});
