import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import type { Column } from './column';
import { ExportButton } from './ExportButton';
import { FilterText } from './Filters';
import { tableMessages } from './messages';
import styles from './TableTools.module.css';
import type { ColumnChoice } from './useColumnChoice';
import type { List } from './useList';

interface Props<Row> {
  id: string;
  columns: Column<Row>[];
  list: List<Row>;
  filters?: ReactNode;
  searchable?: boolean;
  choice: ColumnChoice<Row>;
}

/** Above a table: search, filters, the choice of columns, and the export. */
export function TableTools<Row>({ id, columns, list: { state, readPage }, filters, searchable = true, choice }: Props<Row>) {
  const t = useText(tableMessages);
  return (
    <div className={styles.tools}>
      {searchable && <FilterText className={styles.search} state={state} name="q" label={t('search')} icon={<Icon name="search" />} />}
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
        {state.faults.length === 0 && <ExportButton name={id} columns={columns.filter((column) => choice.exported[column.id] === true)} readPage={readPage} />}
      </div>
    </div>
  );
}
