import { queryOptions } from '@tanstack/react-query';
import { api, asTyped, data, exactly, idempotent, pages, type components, type operations, type PersonName } from '@/api';
import type { JsonObject } from '@/merge';
import type { ListPage, TableSearch } from '@/ui/table';

/** Its value holds every number as it was spelled. */
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
  /** The dialog that makes one is open. */
  create?: boolean;
}

export const valueTypes = ['string', 'number', 'boolean', 'json'] as const satisfies readonly ValueType[];

const historyPage = 50;

/** What a change of a config needs; only its reading says how many votes, so that the answer to a save leaves that open. */
export const needsOf = ({ protected: isProtected, changeNeeds }: Config): { votes: number | undefined } | undefined =>
  isProtected ? { votes: changeNeeds?.approvals } : undefined;

/** One page of the configs. */
export function readConfigs(search: ConfigSearch, signal?: AbortSignal): Promise<ListPage<Config>> {
  return exactly(api.GET('/api/v1/configs', { params: { query: search as ConfigQuery }, parseAs: 'text', signal }));
}

/** The export as the service wrote it, to the last digit. */
export function exportConfigs(prefix: string | undefined): Promise<string> {
  return data(api.GET('/api/v1/configs/export', { params: { query: { prefix } }, parseAs: 'text' }));
}

/** One config; its value holds every number as it was spelled. */
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

/** Every version of what had this key, newest first; a config that was deleted too. */
export const configHistory = (key: string) => pages(['configs', 'one', key, 'history'], (cursor, signal) => readHistory(key, cursor, signal));

/** Who saved the versions between two, neither counted: those whose changes a save was merged with. */
export async function authorsBetween(key: string, after: number, before: number): Promise<PersonName[]> {
  const { items } = await readHistory(key, undefined);
  const between = items.filter(({ version }) => version > after && version < before);
  return [...new Map(between.map(({ changedBy }) => [changedBy.id, changedBy])).values()];
}

/** The version in which a key was deleted at a moment; undefined where the history has it no more. */
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

/** Creates a config from its members; one that was deleted can be made again. */
export function createConfig(members: JsonObject, key: string): Promise<Config> {
  return exactly(api.POST('/api/v1/configs', { ...asTyped(members, idempotent(key)), parseAs: 'text' }));
}

/**
 * Saves under the guard. The service keeps others' edits of other fields beside it, or
 * makes the config what its author saw, whatever others changed, for a reason:
 * that needs a permission of its own.
 */
export function saveConfig(
  config: string,
  patch: JsonObject,
  etag: string,
  key: string,
  how: { merge: 'disjoint' } | { overwrite: string },
): Promise<EditedConfig> {
  return exactly(
    api.PATCH('/api/v1/configs/{key}', {
      params: { path: { key: config }, header: { 'If-Match': etag }, query: how },
      ...asTyped(patch, idempotent(key), 'merge-patch+json'),
      parseAs: 'text',
    }),
  );
}

/** Asks for a change at a time; it is answered with what waits for that. */
export function scheduleConfig(config: string, patch: JsonObject, etag: string, effectiveTime: string, key: string) {
  return data(
    api.PATCH('/api/v1/configs/{key}', {
      params: { path: { key: config }, header: { 'If-Match': etag }, query: { effectiveTime } },
      ...asTyped(patch, idempotent(key), 'merge-patch+json'),
    }),
  );
}

/** Writes a new version with the content of an old one. */
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

/** Makes all changes or none. What was only proposed is thrown before, as a problem. */
export async function changeConfigs(batch: JsonObject, key: string) {
  const reply = await data(api.POST('/api/v1/config-batches', asTyped(batch, idempotent(key))));
  return (reply as components['schemas']['ConfigBatchResult']).results;
}

/** Imports a document, or with `dryRun` returns the verdicts and changes nothing: that needs no key. */
export async function importConfigs(document: JsonObject, dryRun: boolean, key?: string): Promise<Imported> {
  const headers = key === undefined ? {} : idempotent(key);
  return (await data(api.POST('/api/v1/configs/import', { params: { query: { dryRun } }, ...asTyped(document, headers) }))) as Imported;
}
