import type { Descriptor } from '../descriptor';

export const webhookResource = {
  noun: 'webhook',
  folder: 'webhooks',
  label: { en: 'Webhook', zh: 'Webhook' },
  one: { en: 'a webhook', zh: 'Webhook' },
  create: { label: { en: 'New webhook', zh: '新建 Webhook' }, permission: 'webhooks:write' },
} as const satisfies Descriptor;
