import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { useText } from '@/i18n';
import { useToasts } from '../feedback/toasts';
import { Icon } from '../Icon';
import type { Column, ListPage } from './column';
import { csv, download } from './csv';
import { tableMessages } from './messages';

/** The most rows of one export. */
const most = 20_000;

interface Props<Row> {
  name: string;
  columns: Column<Row>[];
  readPage: (cursor: string | undefined) => Promise<ListPage<Row>>;
}

/** Exports the shown columns of every row that matches, page by page. */
export function ExportButton<Row>({ name, columns, readPage }: Props<Row>) {
  const t = useText(tableMessages);
  const toasts = useToasts();
  const [count, setCount] = useState<number>();
  const run = async () => {
    setCount(0);
    try {
      const rows = await readAll(readPage, setCount);
      const exported = columns.filter((column) => column.text !== undefined);
      download(`${name}.csv`, csv([exported.map(({ header }) => header), ...rows.map((row) => exported.map(({ text }) => text?.(row) ?? ''))]));
      if (rows.length >= most) toasts.info(t('exportCut', { n: most }));
    } catch (error) {
      toasts.failed(error);
    } finally {
      setCount(undefined);
    }
  };
  const words = count === undefined ? t('export') : t('exporting', { n: count });
  return (
    <ActionIcon variant="default" size="input-sm" aria-label={words} title={words} loading={count !== undefined} onClick={() => void run()}>
      <Icon name="download" />
    </ActionIcon>
  );
}

async function readAll<Row>(readPage: Props<Row>['readPage'], onCount: (n: number) => void): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    rows.push(...page.items);
    onCount(rows.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < most);
  return rows;
}
