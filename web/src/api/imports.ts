import { api, data } from './client';
import type { components, operations, paths } from './schema';

/** A table file as the service reads it. */
export type ImportPreview = components['schemas']['ImportPreview'];
type KindOf<Path> = Path extends `/api/v1/imports/${infer Kind}/preview` ? Kind : never;
export type ImportKind = KindOf<keyof paths>;
export type ImportQuery = NonNullable<operations['previewItemsImport']['parameters']['query']>;

/** Reads a table file, and changes nothing. */
export const previewImport = (kind: ImportKind, content: BlobPart, query: ImportQuery, signal?: AbortSignal): Promise<ImportPreview> =>
  data<ImportPreview>(
    api.POST(`/api/v1/imports/${kind}/preview`, {
      params: { query },
      body: '',
      bodySerializer: () => new Blob([content]),
      headers: { 'Content-Type': 'application/octet-stream' },
      signal,
    }),
  );
