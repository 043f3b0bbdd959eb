import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { renderPage } from '@/test/render';
import { session } from '@/test/service';
import { InvitationLink } from './InvitationLink';
import type { InvitedUser } from './queries';

const invited: InvitedUser = {
  id: 12,
  username: 'wang',
  displayName: 'Wang',
  roles: [],
  groupRoles: [],
  disabled: false,
  secondFactor: false,
  hasPassword: false,
  invitationExpiresTime: '2026-03-08T12:00:00Z',
  invitation: { token: 'secret', path: '/invitation#secret', expiresTime: '2026-03-08T12:00:00Z' },
  version: 3,
  etag: '"c-3"',
  createdTime: '2026-03-01T12:00:00Z',
  updatedTime: '2026-03-01T12:00:00Z',
  updatedBy: { id: 1, name: 'Admin' },
};

async function open(user: InvitedUser) {
  await renderPage(
    () => <InvitationLink user={user} onStored={vi.fn()} again={null} />,
    () => ({}),
  );
  await screen.findByText(/#secret$/);
}

beforeEach(() => sessionStore.signedIn(session()));

test('the numbers of ended credentials are displayed', async () => {
  await open({ ...invited, endedSessions: 2, endedTokens: 1, endedFactors: 0 });
  screen.getByText('Ended: sessions 2, API tokens 1, second factors 0.');
});

test('a new user has no ended credentials', async () => {
  await open(invited);
  expect(screen.queryByText(/^Ended/)).toBeNull();
});
