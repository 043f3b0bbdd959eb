import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';
import type { FoundKind } from '../descriptor';

export type Found = components['schemas']['SearchHit'];

/** The longest query that the service accepts. */
export const maxQueryLength = 100;

/** Records of every kind that start with a text and that the user may read. A newer text cancels the earlier request. */
export function found(query: string) {
  return queryOptions({
    queryKey: ['search', query],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/search', { params: { query: { q: query } }, signal }))).items,
    enabled: query !== '',
  });
}

/** Groups the hits by kind. Kinds and hits stay in the order of the service, with exact matches first. */
export function byKind(hits: readonly Found[]): [FoundKind, Found[]][] {
  const groups = new Map<FoundKind, Found[]>();
  for (const hit of hits) groups.set(hit.kind, [...(groups.get(hit.kind) ?? []), hit]);
  return [...groups];
}
