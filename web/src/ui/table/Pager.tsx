import { ActionIcon, Group, NativeSelect, Text } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { Icon } from '../Icon';
import { tableMessages } from './messages';
import { pageSizes } from './search';
import styles from './Pager.module.css';
import type { ListPage } from './useList';
import type { TableState } from './useTableState';

/** The position of the page in the list, and the buttons to other pages. */
export function Pager({ state, page }: { state: TableState; page: ListPage<unknown> }) {
  const t = useText(tableMessages);
  const { number } = useFormat();
  const { before, hasPrevious } = state;
  const shown = page.items.length;
  const seen = (before ?? 0) + shown;
  const total = page.totalIsExact ? number(page.total) : `${number(Math.max(page.total, seen))}+`;
  const range = before === undefined ? t('rangeUnknown', { shown, total }) : t('range', { from: number(Math.min(before + 1, seen)), to: number(seen), total });
  return (
    <div className={styles.pager}>
      <Text component="span" c="dimmed" className="tabular">
        {range}
      </Text>
      <Group gap={6} wrap="nowrap">
        <NativeSelect
          size="xs"
          aria-label={t('pageSize')}
          value={String(state.limit)}
          data={pageSizes.map(String)}
          onChange={(event) => state.set({ limit: Number(event.currentTarget.value) })}
        />
        <ActionIcon variant="default" size="lg" aria-label={t('first')} title={t('first')} disabled={state.search.cursor === undefined} onClick={state.first}>
          <Icon name="chevronsLeft" />
        </ActionIcon>
        <ActionIcon variant="default" size="lg" aria-label={t('previous')} title={t('previous')} disabled={!hasPrevious} onClick={state.previous}>
          <Icon name="chevronLeft" />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={t('next')}
          title={t('next')}
          disabled={page.nextCursor === null}
          onClick={() => {
            if (page.nextCursor !== null) state.next(page.nextCursor);
          }}
        >
          <Icon name="chevronRight" />
        </ActionIcon>
      </Group>
    </div>
  );
}
