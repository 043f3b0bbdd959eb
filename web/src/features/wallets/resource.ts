import type { Descriptor } from '../descriptor';

export const walletResource = {
  noun: 'wallet',
  folder: 'wallets',
  label: { en: 'Wallet', zh: '钱包' },
  one: { en: 'a wallet', zh: '钱包' },
  timeline: 'user',
  found: {
    // A customer with a wallet but without orders also has a timeline.
    wallet: { label: { en: 'Wallets', zh: '钱包' } },
  },
} as const satisfies Descriptor;
