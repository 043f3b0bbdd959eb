import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Links to the page of a customer, by the shop's id. */
export function CustomerLink({ userId, children = userId }: { userId: string; children?: ReactNode }) {
  return (
    <Link to="/customers/$userId" params={{ userId }}>
      {children}
    </Link>
  );
}
