import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import type { Token } from './queries';

/** The user that a token acts as, linked to their page for users with users:read. */
export function ActingUser({ token: { userId, username } }: { token: Pick<Token, 'userId' | 'username'> }) {
  if (!useMay()('users:read')) return username;
  return (
    <Link to="/users/$id" params={{ id: String(userId) }}>
      {username}
    </Link>
  );
}
