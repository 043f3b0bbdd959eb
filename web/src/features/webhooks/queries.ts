import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Webhook = components['schemas']['Webhook'];
export type NewWebhook = components['schemas']['WebhookCreate'];
/** The reply with a new secret, or with `secretShownOnce` in a replay. */
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type Delivery = components['schemas']['WebhookDelivery'];

export interface WebhookSearch extends TableSearch {
  /** Whether the dialog that creates a webhook is open. */
  create?: boolean;
}

const webhooks = resource('/api/v1/webhooks');
export const { list: readWebhooks, one: oneWebhook, history: webhookHistory, create: createWebhook, edit: editWebhook, remove: deleteWebhook } = webhooks;

export const readDeliveries = (id: number, search: TableSearch, signal?: AbortSignal) => webhooks.part(id, 'deliveries', search, signal);

export const testWebhook = (id: number, key: string) => webhooks.act(id, 'test', { key });

export const rotateSecret = (id: number, etag: string, key: string) => webhooks.act(id, 'rotate-secret', { key, etag });

export const replayWebhook = (id: number, after: string, key: string) => webhooks.act(id, 'replay', { body: { after }, key });
