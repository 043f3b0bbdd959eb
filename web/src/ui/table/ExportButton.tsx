import { ActionIcon } from '@mantine/core';
import { useState } from 'react';
import { useText } from '@/i18n';
import { useToasts } from '../feedback/toasts';
import { Icon } from '../Icon';
import type { Column } from './column';
import { csv, download } from './csv';
import { tableMessages } from './messages';
import { readAll, type List } from './useList';

/** The maximum number of rows in one export. */
const most = 20_000;

interface Props<Row> {
  name: string;
  columns: Column<Row>[];
  readPage: List<Row>['readPage'];
}

/** Exports the shown columns of every row that matches, page by page. */
export function ExportButton<Row>({ name, columns, readPage }: Props<Row>) {
  const t = useText(tableMessages);
  const toasts = useToasts();
  const [count, setCount] = useState<number>();
  const run = async () => {
    setCount(0);
    try {
      const rows = await readAll(readPage, { most, onCount: setCount });
      const exported = columns.filter((column) => column.text !== undefined);
      download(
        `${name}.csv`,
        csv([exported.map(({ header, fileHeader = header }) => fileHeader), ...rows.map((row) => exported.map(({ text }) => text?.(row) ?? ''))]),
      );
      if (rows.length >= most) toasts.info(t('exportCut', { n: most }));
    } catch (error) {
      toasts.failed(error);
    } finally {
      setCount(undefined);
    }
  };
  const label = count === undefined ? t('export') : t('exporting', { n: count });
  return (
    <ActionIcon variant="default" size="input-sm" aria-label={label} title={label} loading={count !== undefined} onClick={() => void run()}>
      <Icon name="download" />
    </ActionIcon>
  );
}
