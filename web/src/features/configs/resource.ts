import type { Descriptor } from '../descriptor';

export const configResource = {
  noun: 'config',
  folder: 'configs',
  label: { en: 'Config', zh: '配置' },
  one: { en: 'a config', zh: '配置' },
  found: {
    config: { label: { en: 'Configs', zh: '配置' } },
  },
  deleted: { write: 'configs:write', name: 'key' },
} as const satisfies Descriptor;
