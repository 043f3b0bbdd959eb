import { ActionIcon, Checkbox, Popover, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import type { Column, ListPage } from './column';
import { ExportButton } from './ExportButton';
import { tableMessages } from './messages';
import styles from './TableTools.module.css';
import type { TableState } from './useTableState';

interface Props<Row> {
  id: string;
  columns: Column<Row>[];
  state: TableState;
  filters?: ReactNode;
  searchable?: boolean;
  readPage?: (cursor: string | undefined) => Promise<ListPage<Row>>;
  choice: { visibility: Readonly<Record<string, boolean>>; toggle: (column: Column<Row>) => void };
}

/** Above a table: search, filters, the choice of columns, and the export. */
export function TableTools<Row>({ id, columns, state, filters, searchable = true, readPage, choice }: Props<Row>) {
  const t = useText(tableMessages);
  return (
    <div className={styles.tools}>
      {searchable && <SearchInput key={state.search.q ?? ''} state={state} />}
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
        {readPage !== undefined && (
          <ExportButton name={id} columns={columns.filter((column) => choice.visibility[column.id] === true)} readPage={readPage} />
        )}
      </div>
    </div>
  );
}

const pause = 250;

function SearchInput({ state }: { state: TableState }) {
  const t = useText(tableMessages);
  const [text, setText] = useState(state.search.q ?? '');
  const [applied, setApplied] = useState(text);
  const apply = useDebouncedCallback((q: string) => {
    setApplied(q);
    state.set({ q: q === '' ? undefined : q });
  }, pause);
  return (
    <TextInput
      className={styles.search}
      type="search"
      aria-label={t('search')}
      placeholder={t('search')}
      leftSection={<Icon name="search" />}
      value={text}
      data-applied={applied}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
    />
  );
}
