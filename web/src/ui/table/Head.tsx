import { Checkbox } from '@mantine/core';
import type { KeyboardEvent, PointerEvent } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import type { Column } from './column';
import styles from './DataTable.module.css';
import { tableMessages } from './messages';
import { narrowest, type ColumnWidths, type Widths } from './useColumnWidths';
import type { TableState } from './useTableState';
import type { Selection } from './useSelection';

/** The width of the checkbox column, and of a column that was added after the widths were set, in pixels. */
const [tickWidth, newWidth] = [44, 160];
/** How much an arrow key changes a column's width, in pixels. */
const step = 16;

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selection: Selection<Row> | undefined;
  state: TableState;
  /** Undefined on screens that are too narrow for chosen widths. */
  sizes: ColumnWidths | undefined;
}

/** The column headers: they sort, and their edges resize the columns. */
export function Head<Row>({ columns, rows, rowId, selection, state, sizes }: Props<Row>) {
  const t = useText(tableMessages);
  const chosen = selection === undefined ? 0 : rows.filter((row) => selection.has(rowId(row))).length;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection !== undefined && (
          <th className={styles.tick} scope="col">
            <Checkbox
              size="xs"
              aria-label={t('choosePage')}
              checked={rows.length > 0 && chosen === rows.length}
              indeterminate={chosen > 0 && chosen < rows.length}
              disabled={rows.length === 0}
              onChange={() => selection.setMany(rows, chosen < rows.length)}
            />
          </th>
        )}
        {columns.map((column, i) => (
          // The label excludes the name of the edge.
          <th
            key={column.id}
            scope="col"
            aria-label={column.header}
            data-column={column.id}
            data-align={column.align}
            aria-sort={sorting(column, state.search.sort)}
          >
            {column.sort === undefined ? (
              column.header
            ) : (
              <button type="button" className={styles.sort} onClick={() => state.sortBy(column.sort ?? '')} title={t('sorted', { column: column.header })}>
                {column.header}
                {state.search.sort === column.sort && <Icon name="arrowUp" size={13} />}
                {state.search.sort === `-${column.sort}` && <Icon name="arrowDown" size={13} />}
              </button>
            )}
            {/* The last column fills the remaining width. */}
            {sizes !== undefined && i < columns.length - 1 && <Edge id={column.id} label={t('width', { column: column.header })} sizes={sizes} />}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function sorting<Row>(column: Column<Row>, sort: string | undefined): 'ascending' | 'descending' | undefined {
  if (column.sort === undefined) return undefined;
  return sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : undefined;
}

/** The edge of a column. It is dragged or moved with the arrow keys; a double click or Escape resets all widths. */
function Edge({ id, label, sizes: { widths, resize, reset } }: { id: string; label: string; sizes: ColumnWidths }) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const edge = event.currentTarget;
    const now = measured(edge);
    const from = event.clientX - (now[id] ?? newWidth);
    const move = ({ clientX }: globalThis.PointerEvent) => resize(id, clientX - from, now);
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', () => edge.removeEventListener('pointermove', move), { once: true });
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === 'ArrowRight' ? step : event.key === 'ArrowLeft' ? -step : undefined;
    if (by === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    const now = measured(event.currentTarget);
    if (by === undefined) reset();
    else resize(id, (now[id] ?? newWidth) + by, now);
  };
  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={narrowest}
      aria-valuenow={widths?.[id] ?? newWidth}
      tabIndex={0}
      className={styles.edge}
      onPointerDown={drag}
      onKeyDown={press}
      onDoubleClick={reset}
    />
  );
}

/** Measures the current widths of the columns. */
function measured(inside: HTMLElement): Widths {
  const headers = inside.closest('tr')?.querySelectorAll<HTMLElement>('th[data-column]') ?? [];
  return Object.fromEntries([...headers].map((header) => [header.dataset.column ?? '', Math.round(header.getBoundingClientRect().width)]));
}

interface GroupProps<Row> {
  columns: readonly Column<Row>[];
  hasTicks: boolean;
  widths: Widths;
}

/** Applies the column widths. */
export function ColumnGroup<Row>({ columns, hasTicks, widths }: GroupProps<Row>) {
  return (
    <colgroup>
      {hasTicks && <col style={{ width: tickWidth }} />}
      {columns.map(({ id }, i) => (
        <col key={id} style={i < columns.length - 1 ? { width: widths[id] ?? newWidth } : undefined} />
      ))}
    </colgroup>
  );
}

/** The width of the table: that of its container, or more if the columns need it. */
export function tableStyle<Row>({ columns, hasTicks, widths }: GroupProps<Row>) {
  const needed = columns.reduce((sum, { id }) => sum + (widths[id] ?? newWidth), hasTicks ? tickWidth : 0);
  return { tableLayout: 'fixed', width: `max(100%, ${needed}px)` } as const;
}
