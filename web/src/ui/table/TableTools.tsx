import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import type { Column, ListPage } from './column';
import { ExportButton } from './ExportButton';
import { FilterText } from './FilterText';
import { tableMessages } from './messages';
import styles from './TableTools.module.css';
import type { ColumnChoice } from './useColumnChoice';
import type { TableState } from './useTableState';

interface Props<Row> {
  id: string;
  columns: Column<Row>[];
  state: TableState;
  filters?: ReactNode;
  searchable?: boolean;
  readPage?: (cursor: string | undefined) => Promise<ListPage<Row>>;
  choice: ColumnChoice<Row>;
}

/** Above a table: search, filters, the choice of columns, and the export. */
export function TableTools<Row>({ id, columns, state, filters, searchable = true, readPage, choice }: Props<Row>) {
  const t = useText(tableMessages);
  return (
    <div className={styles.tools}>
      {searchable && (
        <FilterText className={styles.search} label={t('search')} icon={<Icon name="search" />} value={state.search.q} onChange={(q) => state.set({ q })} />
      )}
      {filters}
      <div className={styles.end}>
        <Popover position="bottom-end" shadow="md" trapFocus>
          <Popover.Target>
            <ActionIcon variant="default" size="input-sm" aria-label={t('columns')} title={t('columns')}>
              <Icon name="columns" />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <Stack gap="xs" role="group" aria-label={t('columns')}>
              {columns.map((column) => (
                <Checkbox
                  key={column.id}
                  size="sm"
                  label={column.header}
                  checked={choice.visibility[column.id] === true}
                  onChange={() => choice.toggle(column)}
                />
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
        {readPage !== undefined && <ExportButton name={id} columns={columns.filter((column) => choice.exported[column.id] === true)} readPage={readPage} />}
      </div>
    </div>
  );
}
