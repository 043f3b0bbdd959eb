import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, asMergePatch, exactly, idempotent, isProblem, type ApiProblem, type components, type PersonName } from '@/api';
import { encode, type JsonObject } from '@/merge';
import type { Config } from '../queries';

export type EditedConfig = components['schemas']['EditedConfig'];
export type ConfigRevision = components['schemas']['ConfigRevision'];
type ConfigHistory = components['schemas']['ConfigHistory'];

const historyPage = 50;
const asJson = { bodySerializer: asMergePatch.bodySerializer, headers: { 'Content-Type': 'application/json' } };

/** One config, its numbers as they were spelled. */
export function oneConfig(key: string) {
  return queryOptions({
    queryKey: ['configs', 'one', key],
    queryFn: ({ signal }) => exactly<Config>(api.GET('/api/v1/configs/{key}', { params: { path: { key } }, signal, parseAs: 'text' })),
  });
}

function readHistory(key: string, cursor: string | undefined, signal?: AbortSignal): Promise<ConfigHistory> {
  const params = { path: { key }, query: { limit: historyPage, cursor } };
  return exactly(api.GET('/api/v1/configs/{key}/history', { params, signal, parseAs: 'text' }));
}

/** Every version of what had this key, newest first; a config that was deleted too. */
export function configHistory(key: string) {
  return infiniteQueryOptions({
    queryKey: ['configs', 'one', key, 'history'],
    queryFn: ({ pageParam, signal }) => readHistory(key, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Who saved the versions between two, neither counted: those whose changes a save was merged with. */
export async function authorsBetween(key: string, after: number, before: number): Promise<PersonName[]> {
  const { items } = await readHistory(key, undefined);
  const between = items.filter(({ version }) => version > after && version < before);
  return [...new Map(between.map(({ changedBy }) => [changedBy.id, changedBy])).values()];
}

/** Saves under the guard; the service keeps others' edits of other fields beside it. */
export function saveConfig(key: string, etag: string, patch: JsonObject): Promise<EditedConfig> {
  return exactly(
    api.PATCH('/api/v1/configs/{key}', {
      params: { path: { key }, header: { 'If-Match': etag }, query: { merge: 'disjoint' } },
      ...asMergePatch,
      body: encode(patch) as never,
      parseAs: 'text',
    }),
  );
}

/** Makes a config that was deleted again. */
export function recreateConfig(key: string, content: JsonObject, idempotencyKey: string): Promise<Config> {
  return exactly(
    api.POST('/api/v1/configs', {
      ...asJson,
      headers: { ...asJson.headers, ...idempotent(idempotencyKey) },
      body: encode({ key, ...content }) as never,
      parseAs: 'text',
    }),
  );
}

/** Writes a new version with the content of an old one. */
export function rollBackConfig(key: string, etag: string, toVersion: number, note: string): Promise<Config> {
  return exactly(
    api.POST('/api/v1/configs/{key}/rollback', {
      params: { path: { key }, header: { 'If-Match': etag } },
      body: { toVersion, note },
      parseAs: 'text',
    }),
  );
}

export async function deleteConfig(key: string, etag: string): Promise<void> {
  await api.DELETE('/api/v1/configs/{key}', { params: { path: { key }, header: { 'If-Match': etag } } });
}

/** The config that a stale write met, to the last digit; undefined for any other error. */
export function metMeanwhile(error: unknown): Config | undefined {
  if (!isProblem(error, 'version_conflict')) return undefined;
  return ((error as ApiProblem).body as unknown as { current: Config }).current;
}
