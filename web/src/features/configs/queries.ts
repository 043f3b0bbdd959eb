import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, exactly, type components, type operations } from '@/api';
import type { ListPage, TableSearch } from '@/ui/table';

/** Its value holds every number as it was spelled. */
export type Config = components['schemas']['Config'];
export type ValueType = components['schemas']['ValueType'];
type ConfigQuery = NonNullable<operations['listConfigs']['parameters']['query']>;

export interface ConfigSearch extends TableSearch {
  prefix?: string;
  valueType?: ValueType;
}

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
