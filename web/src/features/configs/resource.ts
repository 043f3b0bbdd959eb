import type { Descriptor } from '../descriptor';

export const configResource = {
  noun: 'config',
  one: { en: 'a config', zh: '配置' },
  found: {
    config: { label: { en: 'Configs', zh: '配置' } },
  },
  deleted: { folder: 'configs', label: { en: 'Config', zh: '配置' }, write: 'configs:write', name: 'key' },
} as const satisfies Descriptor;
