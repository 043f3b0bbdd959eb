import type { Descriptor } from '../descriptor';

export const configResource = {
  noun: 'config',
  folder: 'configs',
  label: { en: 'Config', zh: '配置' },
  one: { en: 'a config', zh: '配置' },
  create: { label: { en: 'New config', zh: '新建配置' }, permission: 'configs:write' },
  found: {
    config: { label: { en: 'Configs', zh: '配置' } },
  },
  deleted: { name: 'key' },
} as const satisfies Descriptor;
