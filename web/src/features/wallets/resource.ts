import type { Descriptor } from '../descriptor';

export const walletResource = {
  noun: 'wallet',
  one: { en: 'a wallet', zh: '钱包' },
  found: {
    // A user with a wallet and no orders is a user of the timeline too.
    wallet: { label: { en: 'Wallets', zh: '钱包' }, timeline: 'user' },
  },
} as const satisfies Descriptor;
