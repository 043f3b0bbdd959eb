import type { LocalText } from '@/i18n';

/** Something that was found, and where it is. */
export interface Hit {
  id: string;
  title: string;
  hint?: string;
  /** Address within the admin. */
  to: string;
  /** Keys and numbers are set in monospace. */
  mono?: boolean;
}

/**
 * Finds things of one kind for the search box. A feature offers one as the export
 * `search` of src/features/<name>/search.ts; it is loaded when the box is opened.
 */
export interface SearchProvider {
  label: LocalText;
  permission?: string;
  find: (query: string, signal: AbortSignal) => Promise<Hit[]>;
}

const modules = import.meta.glob<SearchProvider>('/src/features/*/search.ts', { import: 'search' });

export function loadProviders(): Promise<SearchProvider[]> {
  return Promise.all(Object.values(modules).map((load) => load()));
}
