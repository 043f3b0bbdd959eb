import type { Descriptor } from '../descriptor';

export const walletResource = {
  noun: 'wallet',
  one: { en: 'a wallet', zh: '钱包' },
  found: {
    // A customer with a wallet but without orders also has a timeline.
    wallet: { label: { en: 'Wallets', zh: '钱包' }, timeline: 'user' },
  },
} as const satisfies Descriptor;
