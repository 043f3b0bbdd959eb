import { ActionIcon, Checkbox, Group, Popover, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
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
  /** Covers the tools, so that its appearance does not move the rows. */
  cover?: ReactNode;
}

/** The tools above a table: search, filters, column settings and export. */
export function TableTools<Row>({ id, list: { state, readPage }, filters, searchable = true, choice, cover }: Props<Row>) {
  const t = useText(tableMessages);
  const [isOpen, setOpen] = useState(false);
  const isCovered = cover !== undefined;
  return (
    <div className={styles.line}>
      <div className={styles.tools} inert={isCovered}>
        {searchable && <FilterText className={styles.search} state={state} name="q" label={t('search')} icon={<Icon name="search" />} />}
        {filters !== undefined && (
          <ActionIcon
            className={styles.more}
            variant="default"
            size="input-sm"
            aria-label={t('filters')}
            title={t('filters')}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="sliders" />
          </ActionIcon>
        )}
        <div className={styles.filters} data-open={isOpen || undefined}>
          {filters}
        </div>
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
      {cover}
    </div>
  );
}
