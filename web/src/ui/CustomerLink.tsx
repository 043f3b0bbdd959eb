import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Leads to everything about a customer, by what the shop calls it. */
export function CustomerLink({ userId, children = userId }: { userId: string; children?: ReactNode }) {
  return (
    <Link to="/customers/$userId" params={{ userId }}>
      {children}
    </Link>
  );
}
