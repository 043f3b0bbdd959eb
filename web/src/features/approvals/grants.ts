import type { Approval } from '@/api';

/** What it takes to read and to propose changes of a kind. */
export interface Grants {
  read: string;
  write: string;
}

const grants: Readonly<Record<string, Grants>> = {
  config: { read: 'configs:read', write: 'configs:write' },
  wallet: { read: 'wallets:read', write: 'wallets:write' },
  flash_sale: { read: 'flash-sales:read', write: 'flash-sales:write' },
  settings: { read: 'settings:read', write: 'settings:write' },
  refund: { read: 'refunds:read', write: 'refunds:approve' },
};

/** What it takes to read and to propose changes like that of an approval. */
export const grantsOf = (kind: Approval['kind']): Grants => grants[kind.split('.')[0] ?? ''] ?? { read: `${kind}:read`, write: `${kind}:write` };
