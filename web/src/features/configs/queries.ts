import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, asTyped, data, exactly, idempotent, pages, type components, type operations, type PersonName } from '@/api';
import type { Edit, JsonObject } from '@/merge';
import type { ListPage, TableSearch } from '@/ui/table';

/** A config; numbers in its value are spelled as received. */
export type Config = components['schemas']['ConfigRead'];
export type ValueType = components['schemas']['ValueType'];
export type ConfigEvent = components['schemas']['ConfigEvent'];
export type ConfigRevision = components['schemas']['ConfigRevision'];
export type BatchMember = components['schemas']['ConfigBatchMember'];
export type Imported = components['schemas']['ConfigImported'];
export type ImportVerdict = components['schemas']['ImportVerdict'];
export type OnExisting = NonNullable<components['schemas']['ConfigImport']['onExisting']>;
type EditedConfig = components['schemas']['EditedConfig'];
type ConfigHistory = components['schemas']['ConfigHistory'];
type ConfigQuery = NonNullable<operations['listConfigs']['parameters']['query']>;

export interface ConfigSearch extends TableSearch {
  prefix?: string;
  valueType?: ValueType;
  /** Whether the creation dialog is open. */
  create?: boolean;
}

export const valueTypes = ['string', 'number', 'boolean', 'json'] as const satisfies readonly ValueType[];

const historyPage = 50;

/** The votes that a change of the config needs. Only a read returns their number, so it is unknown after a save. */
export const needsOf = ({ protected: isProtected, changeNeeds }: Config): { votes: number | undefined } | undefined =>
  isProtected ? { votes: changeNeeds?.approvals } : undefined;

/** One page of the configs. */
export function readConfigs(search: ConfigSearch, signal?: AbortSignal): Promise<ListPage<Config>> {
  return exactly(api.GET('/api/v1/configs', { params: { query: search as ConfigQuery }, parseAs: 'text', signal }));
}

/** The export as the service wrote it, with all digits. */
export function exportConfigs(prefix: string | undefined): Promise<string> {
  return data(api.GET('/api/v1/configs/export', { params: { query: { prefix } }, parseAs: 'text' }));
}

/** One config; numbers in its value are spelled as received. */
export function readConfig(key: string, signal?: AbortSignal): Promise<Config> {
  return exactly(api.GET('/api/v1/configs/{key}', { params: { path: { key } }, parseAs: 'text', signal }));
}

export function oneConfig(key: string) {
  return queryOptions({ queryKey: ['configs', 'one', key], queryFn: ({ signal }) => readConfig(key, signal) });
}

function readHistory(key: string, cursor: string | undefined, signal?: AbortSignal): Promise<ConfigHistory> {
  const params = { path: { key }, query: { limit: historyPage, cursor } };
  return exactly(api.GET('/api/v1/configs/{key}/history', { params, signal, parseAs: 'text' }));
}

/** Every version under this key, newest first, including deleted configs. */
export const configHistory = (key: string) => pages(['configs', 'one', key, 'history'], (cursor, signal) => readHistory(key, cursor, signal));

/** The authors of the versions between two versions, both exclusive: their changes were merged with a save. */
export async function authorsBetween(key: string, after: number, before: number): Promise<PersonName[]> {
  const { items } = await readHistory(key, undefined);
  const between = items.filter(({ version }) => version > after && version < before);
  return [...new Map(between.map(({ changedBy }) => [changedBy.id, changedBy])).values()];
}

/** The version in which a key was deleted at a time; undefined if the history no longer contains it. */
export async function findDeletion(key: string, time: string, signal?: AbortSignal): Promise<ConfigRevision | undefined> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await readHistory(key, cursor, signal);
    const found = items.find(({ action, changedTime }) => action === 'delete' && changedTime === time);
    if (found !== undefined || (items.at(-1)?.changedTime ?? '') < time) return found;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}

/** Creates a config from its members, also under a deleted key. */
export function createConfig(members: JsonObject, key: string): Promise<Config> {
  return exactly(api.POST('/api/v1/configs', { ...asTyped(members, idempotent(key)), parseAs: 'text' }));
}

/**
 * Saves at a given ETag. With `merge` the service preserves other users' edits of other fields. With
 * `overwrite` it stores the author's content regardless of concurrent changes; this requires a
 * reason and a separate permission. With `effectiveTime` the client throws the waiting approval as a
 * proposal.
 */
export function saveConfig(
  config: string,
  edit: Edit,
  etag: string,
  key: string,
  how: { merge: 'disjoint' } | { overwrite: string } | { effectiveTime: string },
): Promise<EditedConfig> {
  return exactly(
    api.PATCH('/api/v1/configs/{key}', {
      params: { path: { key: config }, header: { 'If-Match': etag }, query: how },
      ...asEdit(edit, key),
      parseAs: 'text',
    }),
  );
}

/** Writes a new version with the content of an older one. */
export function rollBackConfig(config: string, etag: string, toVersion: number, note: string, key: string): Promise<Config> {
  return exactly(
    api.POST('/api/v1/configs/{key}/rollback', {
      params: { path: { key: config }, header: { 'If-Match': etag } },
      body: { toVersion, note },
      headers: idempotent(key),
      parseAs: 'text',
    }),
  );
}

export async function deleteConfig(key: string, etag: string): Promise<void> {
  await api.DELETE('/api/v1/configs/{key}', { params: { path: { key }, header: { 'If-Match': etag } } });
}

/** Applies all changes or none. If they only became a proposal, the client throws a problem before this returns. */
export async function changeConfigs(batch: JsonObject, key: string) {
  const reply = await data(api.POST('/api/v1/config-batches', asTyped(batch, idempotent(key))));
  return (reply as components['schemas']['ConfigBatchResult']).results;
}

/** Imports a document, or with `dryRun` returns the verdicts and changes nothing: that needs no key. */
export async function importConfigs(document: JsonObject, dryRun: boolean, key?: string): Promise<Imported> {
  const headers = key === undefined ? {} : idempotent(key);
  return (await data(api.POST('/api/v1/configs/import', { params: { query: { dryRun } }, ...asTyped(document, headers) }))) as Imported;
}
