import type { Approval } from '@/api';

/** The permissions for reading and proposing changes of a kind. */
export interface Grants {
  read: string;
  write: string;
}

const grants: Readonly<Record<string, Grants>> = {
  config: { read: 'configs:read', write: 'configs:write' },
  wallet: { read: 'wallets:read', write: 'wallets:write' },
  flash_sale: { read: 'flash-sales:read', write: 'flash-sales:write' },
  settings: { read: 'settings:read', write: 'settings:write' },
  payment: { read: 'payments:read', write: 'payments:refund' },
  refund: { read: 'refunds:read', write: 'refunds:approve' },
};

/** The permissions for reading and proposing changes of an approval's kind. */
export const grantsOf = (kind: Approval['kind']): Grants => grants[kind.split('.')[0] ?? ''] ?? { read: `${kind}:read`, write: `${kind}:write` };
