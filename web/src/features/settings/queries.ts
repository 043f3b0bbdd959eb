import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, pages, type components } from '@/api';
import type { Edit } from '@/merge';

type EditedSettings = components['schemas']['EditedSettings'];
type SettingsRead = components['schemas']['SettingsRead'];

/** The settings. Only the reply to GET contains the votes that a change needs. */
export type Settings = Omit<SettingsRead, 'changeNeeds'> & Partial<Pick<SettingsRead, 'changeNeeds'>>;

const historyPage = 50;

/** The refresh interval in ms. It polls because the service sends no event for changed settings. */
const pause = 15_000;

export const settings = queryOptions({
  queryKey: ['settings', 'one'],
  queryFn: ({ signal }): Promise<Settings> => data(api.GET('/api/v1/settings', { signal })),
  refetchInterval: pause,
});

export const settingsHistory = pages(['settings', 'history'], (cursor, signal) =>
  data(api.GET('/api/v1/settings/history', { params: { query: { limit: historyPage, cursor } }, signal })),
);

/** Edits the settings with If-Match. Each edit that changes a value becomes a proposal, which the client throws. */
export const editSettings = (edit: Edit, etag: string, key: string) =>
  data(api.PATCH('/api/v1/settings', { params: { header: { 'If-Match': etag } }, ...asEdit(edit, key) })) as Promise<EditedSettings>;
