import { api, data } from './client';
import type { components, operations } from './schema';

/** A table file as the service reads it. */
export type ImportPreview = components['schemas']['ImportPreview'];
export type ImportKind = components['schemas']['ImportKind'];
export type ImportQuery = NonNullable<operations['previewImport']['parameters']['query']>;

/** Reads a table file, and changes nothing. */
export const previewImport = (content: BlobPart, query: ImportQuery, signal?: AbortSignal): Promise<ImportPreview> =>
  data<ImportPreview>(
    api.POST('/api/v1/imports/preview', {
      params: { query },
      body: '',
      bodySerializer: () => new Blob([content]),
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    }),
  );
