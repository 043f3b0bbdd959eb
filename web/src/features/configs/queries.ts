import { api, asTyped, data, exactly, idempotent, resource, type components, type PersonName } from '@/api';
import type { Json, JsonObject } from '@/merge';
import type { TableSearch } from '@/ui/table';

/** A config. The numbers in its value retain all digits. */
export type Config = components['schemas']['ConfigRead'];
export type ValueType = components['schemas']['ValueType'];
export type ConfigEvent = components['schemas']['ConfigEvent'];
export type ConfigRevision = components['schemas']['ConfigRevision'];
export type BatchMember = components['schemas']['ConfigBatchMember'];
export type Imported = components['schemas']['ConfigImported'];
export type ImportVerdict = components['schemas']['ImportVerdict'];
/** A document in the format of an import. The numbers of its configs retain all digits. */
export type Conversion = Omit<components['schemas']['ConfigConversion'], 'configs'> & { configs: Json[] };
export type DocumentSource = components['schemas']['ConfigDocument'];
export type OnExisting = NonNullable<components['schemas']['ConfigImport']['onExisting']>;

export interface ConfigSearch extends TableSearch {
  prefix?: string;
  valueType?: ValueType;
  /** Whether the creation dialog is open. */
  create?: boolean;
}

export const valueTypes = ['string', 'number', 'boolean', 'json'] as const satisfies readonly ValueType[];

/** The votes that a change of the config needs. The number is only in the reply to a read, so it is undefined after a save. */
export const needsOf = ({ protected: isProtected, changeNeeds }: Config): { votes: number | undefined } | undefined =>
  isProtected ? { votes: changeNeeds?.approvals } : undefined;

const configs = resource('/api/v1/configs', { exact: true });
export const { list: readConfigs, read: readConfig, one: oneConfig, history: configHistory } = configs;

/** Returns the export as the service wrote it, so that numbers retain all digits. */
export function exportConfigs(prefix: string | undefined): Promise<string> {
  return data(api.GET('/api/v1/configs/export', { params: { query: { prefix } }, parseAs: 'text' }));
}

const readHistory = (key: string, cursor: string | undefined, signal?: AbortSignal) => configs.part(key, 'history', { limit: 50, cursor }, signal);

/** The authors of the versions between two versions, both exclusive. A save merged their changes. */
export async function authorsBetween(key: string, after: number, before: number): Promise<PersonName[]> {
  const { items } = await readHistory(key, undefined);
  const between = items.filter(({ version }) => version > after && version < before);
  return [...new Map(between.map(({ changedBy }) => [changedBy.id, changedBy])).values()];
}

/** Returns the version that deleted a key at a time; undefined if the history no longer contains it. */
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
export const createConfig = (members: JsonObject, key: string): Promise<Config> => configs.create(members as never, key);

/**
 * Saves a config, guarded by its ETag. With `merge` the service preserves other users' edits of other fields. With
 * `overwrite` it stores the author's content regardless of concurrent changes; this requires a
 * reason and a separate permission. With `effectiveTime` the client throws the waiting approval as a
 * proposal.
 */
export const { edit: saveConfig, remove: deleteConfig } = configs;

/** Writes a new version with the content of an older one. `takeOver` is the reason for changing fields of other owners. */
export const rollBackConfig = (config: string, etag: string, toVersion: number, note: string, key: string, takeOver?: string) =>
  configs.act(config, 'rollback', { body: { toVersion, note }, etag, key, query: { takeOver } });

/** Applies all changes or none. The client throws if they became a proposal. */
export async function changeConfigs(batch: JsonObject, key: string) {
  const reply = await data(api.POST('/api/v1/config-batches', asTyped(batch, idempotent(key))));
  return (reply as components['schemas']['ConfigBatchResult']).results;
}

/** Converts a file of configs for an import. It changes nothing. */
export const convertDocument = (source: DocumentSource, signal?: AbortSignal): Promise<Conversion> =>
  exactly(api.POST('/api/v1/configs/import/read', { body: source, parseAs: 'text', signal }));

/** Imports a document. With `dryRun` it changes nothing and returns the verdicts, and needs no key. */
export async function importConfigs(document: JsonObject, dryRun: boolean, key?: string): Promise<Imported> {
  const headers = key === undefined ? {} : idempotent(key);
  return (await data(api.POST('/api/v1/configs/import', { params: { query: { dryRun } }, ...asTyped(document, headers) }))) as Imported;
}
