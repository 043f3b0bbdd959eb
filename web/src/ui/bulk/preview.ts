import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isProblem, previewImport, type ImportKind, type ImportQuery } from '@/api';
import { textOf, type Encoding } from '../files/encoding';
import { rowUse, type ChosenLayout, type RowColumn } from './rowValues';

/** The tables of an action: their kind in the service, and the column that identifies a row. */
export interface TableKind {
  kind: ImportKind;
  key: string;
  label: string;
}

/** The pause in typing before a table is read, in ms. */
const pause = 300;

/** Returns the columns that an action reads of its tables. */
const columnsOf = ({ key }: TableKind, columns: readonly RowColumn[]): ImportQuery => ({ columns: [key, ...columns.map(({ name }) => name)].join() });

/** Returns the key of the query of a table. It has no text, because the query cache serializes keys at each render. */
const keyOf = ({ kind }: TableKind, query: ImportQuery, digest: string) => ['imports', kind, query, digest];

/** Returns the length of a text and two hashes of 32 bits: FNV-1a, and a hash of its intermediate values. */
function digestOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4];
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ low, 0x01000193);
  }
  return [text.length, low, high].join();
}

/** Returns a function that detects the encodings of a file. The reply is also that of its text, so the file is read once. */
export function useDetection(file: TableKind | undefined, columns: readonly RowColumn[]) {
  const queries = useQueryClient();
  return async (bytes: Uint8Array<ArrayBuffer>): Promise<readonly Encoding[]> => {
    if (file === undefined) return [];
    const query = columnsOf(file, columns);
    try {
      const read = await previewImport(file.kind, bytes, query);
      queries.setQueryData(keyOf(file, query, digestOf(textOf(bytes, read.encoding))), read);
      return read.encodings;
    } catch (problem) {
      if (isProblem(problem, 'unsupported_media_type')) return [];
      throw problem;
    }
  };
}

/** Reads a table while the user edits it. Until the service has read the current text, `preview` has no rows. */
export function usePreview(file: TableKind | undefined, columns: readonly RowColumn[], text: string, layout: ChosenLayout | undefined) {
  const [settled] = useDebouncedValue(text, pause);
  const chosen = layout !== undefined && layout.first === firstLineOf(settled) ? layout : undefined;
  const query: ImportQuery | undefined = file && {
    ...columnsOf(file, columns),
    decimal: chosen?.decimal,
    ...(chosen?.isConfirmed === true && { header: `${chosen.hasHead}`, mapping: chosen.uses.map((use) => (use === rowUse ? file.key : (use ?? ''))).join() }),
  };
  const isTable = query !== undefined && text.trim() !== '';
  const digest = useMemo(() => digestOf(settled), [settled]);
  const {
    data: read,
    error,
    refetch,
    isPlaceholderData,
  } = useQuery({
    queryKey: file === undefined || query === undefined ? ['imports'] : keyOf(file, query, digest),
    queryFn: ({ signal }) => (file === undefined || query === undefined ? undefined : previewImport(file.kind, settled, query, signal)),
    enabled: isTable && settled === text,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === text && !isPlaceholderData && read !== undefined;
  const preview = useMemo(() => (isTable && read !== undefined ? (isCurrent ? read : { ...read, rows: [] }) : undefined), [isTable, isCurrent, read]);
  return { preview, isReading: isTable && !isCurrent && error === null, error: error ?? undefined, retry: () => void refetch() };
}

/** The first line of a table, without the line `sep=;` of Excel. */
export function firstLineOf(text: string): string {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) if (line.trim() !== '' && !/^sep=.$/i.test(line)) return line;
  return '';
}
