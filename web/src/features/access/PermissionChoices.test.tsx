import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { PermissionChoices } from './PermissionChoices';

const items = ['configs:read', 'orders:read', 'orders:write'].map((name) => ({ name, meaning: `What ${name} allows.` }));

let chosen: string;

/** Renders the choices for a user with some permissions. */
async function open(mine: string[], base: string, readOnly = false) {
  const one = session();
  sessionStore.signedIn({ ...one, user: { ...one.user, permissions: mine } });
  chosen = base;
  function Choices() {
    const [value, setValue] = useState(base);
    const change = (next: string) => {
      chosen = next;
      setValue(next);
    };
    return <PermissionChoices set="permissions" value={value} base={base} readOnly={readOnly} onChange={change} />;
  }
  render(<Choices />, { wrapper: Surroundings });
  await screen.findAllByText(/orders:read/);
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

beforeEach(() => {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ items, nextCursor: null, total: items.length, totalIsExact: true }), { status: 200 })),
  );
});
afterEach(() => void vi.unstubAllGlobals());

test('missing permissions are disabled with a reason', async () => {
  await open(['access:*', 'orders:read'], 'configs:read\norders:read');
  expect(box('orders:read').disabled).toBe(false);
  expect(box('orders:write').disabled).toBe(true);
  expect(box('orders:*').disabled).toBe(true);
  expect(box('Everything *').disabled).toBe(true);
  const why = box('orders:write').getAttribute('aria-describedby')?.split(' ')[0] ?? '';
  expect(document.getElementById(why)?.textContent).toBe('What orders:write allows.You do not have this permission, so you cannot grant or remove it.');
  expect(box('configs:read').disabled).toBe(true);
  await userEvent.click(box('orders:read'));
  expect(chosen).toBe('configs:read');
  expect(screen.getByText('removed in this edit')).toBeDefined();
});

test('an implied permission says so and is unchanged', async () => {
  await open(['*'], 'orders:*');
  expect(box('orders:read').checked).toBe(false);
  expect(screen.getAllByText('included in orders:*')).toHaveLength(2);
  await userEvent.click(box('orders:*'));
  await userEvent.click(box('orders:read'));
  expect(chosen).toBe('orders:read');
  expect(screen.getByText('granted in this edit')).toBeDefined();
});

test('permissions are found by name and description', async () => {
  await open(['*'], '');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Find a permission' }), 'configs:read allows');
  expect(screen.getAllByRole('group').map((group) => within(group).getAllByRole('checkbox').length)).toEqual([2]);
});

test('unknown permissions are shown and can be removed', async () => {
  await open(['*'], 'orders:read\nrefunds:fly');
  await screen.findByText('No longer valid');
  await userEvent.click(box('refunds:fly'));
  expect(chosen).toBe('orders:read');
});

test('a reader sees granted permissions without choices', async () => {
  await open(['access:read'], 'orders:read', true);
  await screen.findByText('What orders:read allows.');
  expect(screen.queryAllByRole('checkbox')).toEqual([]);
  expect(screen.queryByText(/configs:read/)).toBeNull();
});
