import { useText } from '@/i18n';
import { isObject, type Json, type JsonObject } from '@/merge';
import type { Labels } from '@/ui';
import { orderMessages } from '../messages';
import type { Order } from '../queries';

export const addresses = ['shippingAddress', 'billingAddress'] as const;
export const addressMembers = ['name', 'company', 'line1', 'line2', 'postalCode', 'city', 'region', 'country', 'phone'] as const;

type AddressName = (typeof addresses)[number];
type AddressMember = (typeof addressMembers)[number];
/** A member of an address, as in the JSON Pointer of its errors. */
export type AddressField = `${AddressName}/${AddressMember}`;

/** The editable facts of an order, one text per input. */
export type OrderFields = {
  email: string;
  note: string;
  /** One line per tag. */
  tags: string;
  /** One line per entry: `name: value`. Texts that a line cannot contain are JSON strings. */
  metadata: string;
} & Record<AddressField, string>;

export type OrderField = keyof OrderFields;

const pairs = addresses.flatMap((address) => addressMembers.map((member) => [address, member] as const));
export const addressFields: readonly AddressField[] = pairs.map(([address, member]): AddressField => `${address}/${member}`);

export const readFields = (order: Pick<Order, 'email' | 'note' | 'tags' | 'metadata' | AddressName>): OrderFields => ({
  email: order.email ?? '',
  note: order.note,
  tags: order.tags.join('\n'),
  metadata: Object.entries(order.metadata)
    .map(([name, value]) => `${name.includes(':') ? JSON.stringify(name) : spelled(name)}: ${spelled(value)}`)
    .join('\n'),
  ...(Object.fromEntries(pairs.map(([address, member]) => [`${address}/${member}`, order[address]?.[member] ?? ''])) as Record<AddressField, string>),
});

const spelled = (text: string): string => (text.trim() !== text || /["\r\n]/.test(text) ? JSON.stringify(text) : text);

const entry = /^("(?:[^"\\]|\\.)+"|[^":]+):(.*)$/;

/** The text of a name or value; throws if it starts as a JSON string and is none. */
const textOf = (part = ''): string => (part.trim().startsWith('"') ? (JSON.parse(part) as string) : part.trim());

/** The entries of the metadata; undefined if a line has no name or a name occurs twice. */
export function metadataOf(text: string): Record<string, string> | undefined {
  const entries: Record<string, string> = {};
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, left, right] = entry.exec(line.trim()) ?? [];
    try {
      const name = textOf(left);
      if (name === '' || Object.hasOwn(entries, name)) return undefined;
      entries[name] = textOf(right);
    } catch {
      return undefined;
    }
  }
  return entries;
}

/** The facts to save; an empty email and an empty address are absent. An error while the metadata cannot be parsed. */
export function contentOf(fields: OrderFields): JsonObject | Error {
  const metadata = metadataOf(fields.metadata);
  if (metadata === undefined) return new Error('metadata');
  const tags = fields.tags.split('\n').map((tag) => tag.trim());
  const content: JsonObject = { note: fields.note, tags: [...new Set(tags.filter((tag) => tag !== ''))], metadata };
  if (fields.email.trim() !== '') content.email = fields.email.trim();
  for (const address of addresses) {
    const members = addressMembers.map((member) => [member, fields[`${address}/${member}`].trim()] as const).filter(([, value]) => value !== '');
    if (members.length > 0) content[address] = Object.fromEntries(members);
  }
  return content;
}

/** Returns the reverse of contentOf. */
export function formOf(content: JsonObject): OrderFields {
  const { email = null, note, tags, metadata, shippingAddress = null, billingAddress = null } = content;
  return readFields({ email, note, tags, metadata, shippingAddress, billingAddress } as unknown as Parameters<typeof readFields>[0]);
}

/** The labels and values of the editable facts, each member of an address and of the metadata separately. */
export function useOrderLabels(): Labels {
  const t = useText(orderMessages);
  const labels = {
    email: t('email'),
    note: t('note'),
    tags: t('tags'),
    metadata: t('metadata'),
    shippingAddress: t('shippingAddress'),
    billingAddress: t('billingAddress'),
  };
  const show = (value: Json): string => {
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return value.map(show).join(', ');
    return isObject(value) ? Object.values(value).map(show).join(', ') : JSON.stringify(value);
  };
  return {
    field: (pointer) => {
      const [field = '', member] = pointer.slice(1).split('/');
      const label = field in labels ? labels[field as keyof typeof labels] : pointer;
      if (member === undefined) return label;
      return `${label}: ${field === 'metadata' ? member : t(`address_${member as AddressMember}`)}`;
    },
    show: (value) => (value === undefined || value === null ? '' : show(value)),
  };
}
