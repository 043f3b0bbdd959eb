import type { Descriptor } from '../descriptor';

export const configResource = {
  noun: 'config',
  one: { en: 'a config', zh: '配置' },
  found: {
    config: { label: { en: 'Configs', zh: '配置' } },
  },
} as const satisfies Descriptor;
