import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, pages, type components } from '@/api';
import type { Edit } from '@/merge';

type EditedSettings = components['schemas']['EditedSettings'];
type SettingsRead = components['schemas']['SettingsRead'];

/** The settings; only GET returns the votes that a change needs. */
export type Settings = Omit<SettingsRead, 'changeNeeds'> & Partial<Pick<SettingsRead, 'changeNeeds'>>;

const historyPage = 50;

/** The refresh interval in ms: changes of settings are not announced. */
const pause = 15_000;

export const settings = queryOptions({
  queryKey: ['settings', 'one'],
  queryFn: ({ signal }): Promise<Settings> => data(api.GET('/api/v1/settings', { signal })),
  refetchInterval: pause,
});

export const settingsHistory = pages(['settings', 'history'], (cursor, signal) =>
  data(api.GET('/api/v1/settings/history', { params: { query: { limit: historyPage, cursor } }, signal })),
);

/**
 * Edits the settings with If-Match. The edit becomes a proposal, which is thrown, unless it changes
 * nothing.
 */
export const editSettings = (edit: Edit, etag: string, key: string) =>
  data(api.PATCH('/api/v1/settings', { params: { header: { 'If-Match': etag } }, ...asEdit(edit, key) })) as Promise<EditedSettings>;
