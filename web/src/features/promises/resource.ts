import type { Descriptor } from '../descriptor';

export const promiseResource = {
  noun: 'promise',
  one: { en: 'a promise', zh: '承诺' },
} as const satisfies Descriptor;
