import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, exactly, idempotent, type components, type operations } from '@/api';
import { encode, type JsonObject } from '@/merge';
import type { ListPage, TableSearch } from '@/ui/table';

/** Its value holds every number as it was spelled. */
export type Config = components['schemas']['Config'];
export type ValueType = components['schemas']['ValueType'];
export type ConfigEvent = components['schemas']['ConfigEvent'];
export type BatchMember = components['schemas']['ConfigBatchMember'];
export type Imported = components['schemas']['ConfigImported'];
export type ImportVerdict = components['schemas']['ImportVerdict'];
export type OnExisting = NonNullable<components['schemas']['ConfigImport']['onExisting']>;
type ConfigQuery = NonNullable<operations['listConfigs']['parameters']['query']>;

export interface ConfigSearch extends TableSearch {
  prefix?: string;
  valueType?: ValueType;
}

export const valueTypes = ['string', 'number', 'boolean', 'json'] as const satisfies readonly ValueType[];

/** Sends a tree with its numbers as they were typed; the contract's types know only floats. */
const asTyped = (tree: JsonObject, key: string) => ({
  body: tree as never,
  bodySerializer: () => encode(tree),
  headers: { ...idempotent(key), 'Content-Type': 'application/json' },
});

/** One page of the configs. */
export function readConfigs(search: ConfigSearch, signal?: AbortSignal): Promise<ListPage<Config>> {
  return exactly(api.GET('/api/v1/configs', { params: { query: search as ConfigQuery }, parseAs: 'text', signal }));
}

export function configList(search: ConfigSearch) {
  return queryOptions({
    queryKey: ['configs', 'list', search],
    queryFn: ({ signal }) => readConfigs(search, signal),
    placeholderData: keepPreviousData,
  });
}

/** The export as the service wrote it, to the last digit. */
export function exportConfigs(prefix: string | undefined): Promise<string> {
  return data(api.GET('/api/v1/configs/export', { params: { query: { prefix } }, parseAs: 'text' }));
}

/** One config; its value holds every number as it was spelled. */
export function readConfig(key: string, signal?: AbortSignal): Promise<Config> {
  return exactly(api.GET('/api/v1/configs/{key}', { params: { path: { key } }, parseAs: 'text', signal }));
}

/** Creates a config from its members. */
export function createConfig(members: JsonObject, key: string): Promise<Config> {
  return data(api.POST('/api/v1/configs', asTyped(members, key)));
}

/** Makes all changes or none. */
export async function changeConfigs(batch: JsonObject, key: string) {
  return (await data(api.POST('/api/v1/config-batches', asTyped(batch, key)))).results;
}

/** Imports a document, or with `dryRun` says what that would do. */
export function importConfigs(document: JsonObject, dryRun: boolean, key: string): Promise<Imported> {
  return data(api.POST('/api/v1/configs/import', { params: { query: { dryRun } }, ...asTyped(document, key) }));
}

const pageSize = 200;

/** Reads every config that matches the filters, except some. */
export async function readMatching(search: ConfigSearch, except: ReadonlySet<string>, onCount: (n: number) => void, signal: AbortSignal): Promise<Config[]> {
  const configs: Config[] = [];
  let cursor: string | undefined;
  do {
    const page = await readConfigs({ ...search, cursor, limit: pageSize }, signal);
    configs.push(...page.items.filter(({ key }) => !except.has(key)));
    onCount(configs.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return configs;
}
