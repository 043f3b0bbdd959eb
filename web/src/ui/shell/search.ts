import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Found = components['schemas']['SearchHit'];
export type FoundKind = Found['kind'];

/** The service takes no longer text. */
export const longestQuery = 100;

/** What begins with a text, of every kind that the user may read. A text that is superseded is no longer waited for. */
export function found(query: string) {
  return queryOptions({
    queryKey: ['search', query],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/search', { params: { query: { q: query } }, signal }))).items,
    enabled: query !== '',
  });
}

/** The hits by kind, kinds and hits in the order of the service: what is called exactly so stands first. */
export function byKind(hits: readonly Found[]): [FoundKind, Found[]][] {
  const groups = new Map<FoundKind, Found[]>();
  for (const hit of hits) groups.set(hit.kind, [...(groups.get(hit.kind) ?? []), hit]);
  return [...groups];
}

/** What a kind is called in a timeline, which not all have. */
const chains = {
  order: 'order',
  user: 'user',
  // Who has a wallet and no orders is a user all the same.
  wallet: 'user',
  item: 'item',
  coupon: 'coupon',
  ticket: 'ticket',
  'idempotency-key': 'idempotency-key',
} as const satisfies Partial<Record<FoundKind, string>>;

export type ChainKind = (typeof chains)[keyof typeof chains];

export const chainOf = (kind: FoundKind): ChainKind | undefined => (chains as Partial<Record<FoundKind, ChainKind>>)[kind];
