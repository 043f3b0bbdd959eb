import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Found = components['schemas']['SearchHit'];
export type FoundKind = Found['kind'];

/** The longest query that the service accepts. */
export const longestQuery = 100;

/** Records of every kind that start with a text and that the user may read. A newer text cancels the earlier request. */
export function found(query: string) {
  return queryOptions({
    queryKey: ['search', query],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/search', { params: { query: { q: query } }, signal }))).items,
    enabled: query !== '',
  });
}

/** The hits by kind; kinds and hits in the order of the service, with exact matches first. */
export function byKind(hits: readonly Found[]): [FoundKind, Found[]][] {
  const groups = new Map<FoundKind, Found[]>();
  for (const hit of hits) groups.set(hit.kind, [...(groups.get(hit.kind) ?? []), hit]);
  return [...groups];
}

/** The names of the kinds in the timeline; not every kind has one. */
const chains = {
  order: 'order',
  user: 'user',
  // A user with a wallet and no orders is a user of the timeline too.
  wallet: 'user',
  item: 'item',
  coupon: 'coupon',
  ticket: 'ticket',
  'idempotency-key': 'idempotency-key',
} as const satisfies Partial<Record<FoundKind, string>>;

export type ChainKind = (typeof chains)[keyof typeof chains];

export const chainOf = (kind: FoundKind): ChainKind | undefined => (chains as Partial<Record<FoundKind, ChainKind>>)[kind];
