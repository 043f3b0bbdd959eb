import type { Topic } from '@/api';
import type { Contents } from '@/features/descriptor';
import { textOf } from '@/features/access/sets';
import { resourceIn } from '@/features/resources';
import { useFormat, useLocalText, useText } from '@/i18n';
import { isObject, type JsonObject, type Value } from '@/merge';
import type { Labels } from '@/ui';
import { webhookMessages } from './messages';
import type { NewWebhook, Webhook } from './queries';
import { webhookResource } from './resource';

/** The editable members of a webhook, with those of its filter. */
export type WebhookFields = {
  url: string;
  topics: string[];
  actions: string[];
  keyPrefixes: string[];
  statuses: string[];
  content: Webhook['content'];
};

export const filters = ['actions', 'keyPrefixes', 'statuses'] as const;

export const blankWebhook: WebhookFields = { url: '', topics: [], actions: [], keyPrefixes: [], statuses: [], content: 'thin' };

/** The topics that a webhook can receive. A new topic of the contract without an entry does not compile. */
const subscribable: Readonly<Record<Topic, boolean>> = {
  orders: true,
  payments: true,
  refunds: true,
  returns: true,
  'work-orders': true,
  approvals: true,
  items: true,
  inventory: true,
  coupons: true,
  'coupon-campaigns': true,
  'flash-sales': true,
  wallets: true,
  configs: true,
  webhooks: true,
  users: true,
  roles: true,
  menus: true,
  aggregates: true,
  // These announce no changes of records.
  navigation: false,
  promises: false,
  presence: false,
};

export const topics = Object.entries(subscribable).flatMap(([topic, isOffered]) => (isOffered ? [topic] : []));

export const readFields = ({ url, topics, filter, content }: Pick<Webhook, 'url' | 'topics' | 'filter' | 'content'>): WebhookFields => ({
  url,
  topics,
  actions: filter?.actions ?? [],
  keyPrefixes: filter?.keyPrefixes ?? [],
  statuses: filter?.statuses ?? [],
  content,
});

const filterOf = (form: WebhookFields) => Object.fromEntries(filters.flatMap((name) => (form[name].length === 0 ? [] : [[name, form[name]]])));

export const contentOf = (form: WebhookFields): JsonObject => {
  const filter = filterOf(form);
  return { url: form.url.trim(), topics: form.topics, content: form.content, ...(Object.keys(filter).length > 0 && { filter }) };
};

export const formOf = (content: JsonObject): WebhookFields => readFields({ filter: null, ...content } as unknown as Webhook);

export const requestOf = (form: WebhookFields): NewWebhook => contentOf(form) as unknown as NewWebhook;

export const isAddress = (url: string): boolean => URL.canParse(url.trim()) && /^https?:$/.test(new URL(url.trim()).protocol);

export const isComplete = ({ url, topics }: WebhookFields): boolean => isAddress(url) && topics.length > 0;

/** Whether the form has an input for the JSON Pointer of a validation error. */
export const isWebhookInput = (pointer: string): boolean => /^\/(url|topics|filter|content)\b/.test(pointer);

/** The displayed name of a topic. */
export function useTopicName(): (topic: string) => string {
  const text = useLocalText();
  return (topic) => {
    const label = resourceIn(topic)?.label;
    return label === undefined ? topic : text(label);
  };
}

/** The labels and values of a webhook's fields. */
export function useWebhookLabels(): Labels {
  const t = useText(webhookMessages);
  const topicName = useTopicName();
  const { list } = useFormat();
  const names = {
    url: t('url'),
    topics: t('topics'),
    content: t('content'),
    filter: t('filter'),
    actions: t('actions'),
    keyPrefixes: t('keyPrefixes'),
    statuses: t('statuses'),
  };
  const labelOf = (name: string) => (names as Partial<Record<string, string>>)[name] ?? name;
  const memberOf = (pointer: string) => pointer.split('/').at(-1) ?? '';
  const show = (value: Value, pointer: string): string => {
    if (Array.isArray(value)) return list(value.map((one) => (memberOf(pointer) === 'topics' ? topicName(textOf(one)) : textOf(one))));
    if (isObject(value)) {
      return Object.entries(value)
        .map(([name, members]) => `${labelOf(name)}: ${show(members, `/${name}`)}`)
        .join('; ');
    }
    return value === 'thin' || value === 'full' ? t(value) : textOf(value);
  };
  return { field: (pointer) => labelOf(memberOf(pointer)), show };
}

/** The content in the audit log. */
export const webhookContents: Contents = { noun: webhookResource.noun, useLabels: useWebhookLabels };
