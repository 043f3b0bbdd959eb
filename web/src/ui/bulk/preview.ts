import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { previewImport, type ImportKind, type ImportPreview, type ImportQuery } from '@/api';
import { rowUse, type ChosenLayout, type RowColumn } from './rowValues';

/** The tables of an action: their kind in the service, and the column that identifies a row. */
export interface TableKind {
  kind: ImportKind;
  key: string;
  label: string;
}

/** The pause in typing before a table is read, in ms. */
const pause = 300;

/** Returns the parameters of a table: its kind, and the columns that the action reads. */
export const kindOf = ({ kind, key }: TableKind, columns: readonly RowColumn[]): ImportQuery => ({
  kind,
  columns: [key, ...columns.map(({ name }) => name)].join(),
});

/** Reads a table while the user edits it. Until the service has read the current text, `preview` has no rows. */
export function usePreview(file: TableKind | undefined, columns: readonly RowColumn[], text: string, layout: ChosenLayout | undefined) {
  const [settled] = useDebouncedValue(text, pause);
  const chosen = layout !== undefined && layout.first === firstLineOf(settled) ? layout : undefined;
  const query: ImportQuery | undefined = file && {
    ...kindOf(file, columns),
    decimal: chosen?.decimal,
    ...(chosen?.isConfirmed === true && { header: `${chosen.hasHead}`, mapping: chosen.uses.map((use) => (use === rowUse ? file.key : (use ?? ''))).join() }),
  };
  const isTable = query !== undefined && text.trim() !== '';
  const {
    data: read,
    error,
    refetch,
    isPlaceholderData,
  } = useQuery({
    queryKey: ['imports', query, settled],
    queryFn: ({ signal }) => (query === undefined ? undefined : previewImport(settled, query, signal)),
    enabled: isTable && settled === text,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === text && !isPlaceholderData && read !== undefined;
  const preview = useMemo(() => (isTable && read !== undefined ? (isCurrent ? read : { ...read, rows: [] }) : undefined), [isTable, isCurrent, read]);
  return { preview, isReading: isTable && !isCurrent && error === null, error: error ?? undefined, retry: () => void refetch() };
}

const lineBreak = /\r\n|\r|\n/;

/** The first line of a table, without the line `sep=;` of Excel. */
export const firstLineOf = (text: string): string => text.split(lineBreak).find((line) => line.trim() !== '' && !/^sep=.$/i.test(line)) ?? '';

/** Returns the text without the lines of finished rows; the other lines are unchanged. */
export function withoutRows(text: string, { columns, rows, rejected }: ImportPreview, key: string, done: ReadonlySet<string>): string {
  const lines = text.split(lineBreak);
  const left = rows.filter(({ values }) => !done.has(values[key] ?? ''));
  if (left.length + rejected.length === 0) return '';
  // Names of a list can be in one line.
  if (columns.length === 0) return [...left.map(({ values }) => values[key]), ...rejected.map(({ line }) => lines[line - 1])].join('\n');
  const finished = rows.filter((row) => !left.includes(row));
  const isFinished = (line: number) => finished.some((row) => row.line <= line && line <= row.lastLine);
  return lines.filter((_, i) => !isFinished(i + 1)).join('\n');
}
