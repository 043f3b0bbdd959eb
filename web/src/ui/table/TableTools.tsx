import { ActionIcon, Checkbox, Group, Popover, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import { ExportButton } from './ExportButton';
import { FilterText } from './Filters';
import { tableMessages } from './messages';
import { SavedViews } from './SavedViews';
import styles from './TableTools.module.css';
import type { ColumnChoice } from './useColumnChoice';
import type { List } from './useList';

interface Props<Row> {
  id: string;
  list: List<Row>;
  filters?: ReactNode;
  searchable?: boolean;
  choice: ColumnChoice<Row>;
}

/** The tools above a table: search, filters, column settings and export. */
export function TableTools<Row>({ id, list: { state, readPage }, filters, searchable = true, choice }: Props<Row>) {
  const t = useText(tableMessages);
  return (
    <div className={styles.tools}>
      {searchable && <FilterText className={styles.search} state={state} name="q" label={t('search')} icon={<Icon name="search" />} />}
      {filters}
      <div className={styles.end}>
        <SavedViews id={id} state={state} />
        <Popover position="bottom-end" shadow="md" trapFocus>
          <Popover.Target>
            <ActionIcon variant="default" size="input-sm" aria-label={t('columns')} title={t('columns')}>
              <Icon name="columns" />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <Stack gap="xs" role="group" aria-label={t('columns')}>
              {choice.ordered.map((column, i) => (
                <Group key={column.id} gap="md" wrap="nowrap" justify="space-between">
                  <Checkbox size="sm" label={column.header} checked={choice.visibility[column.id] === true} onChange={() => choice.toggle(column)} />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    c="dimmed"
                    size="sm"
                    disabled={i === 0}
                    aria-label={t('moveUp', { column: column.header })}
                    onClick={() => choice.moveUp(column)}
                  >
                    <Icon name="arrowUp" size={13} />
                  </ActionIcon>
                </Group>
              ))}
            </Stack>
          </Popover.Dropdown>
        </Popover>
        {state.faults.length === 0 && (
          <ExportButton name={id} columns={choice.ordered.filter((column) => choice.exported[column.id] === true)} readPage={readPage} />
        )}
      </div>
    </div>
  );
}
