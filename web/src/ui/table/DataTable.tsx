import { Button, Checkbox, Paper } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { useKeys } from '../keys';
import { CopyButton } from '../CopyText';
import type { Column } from './column';
import styles from './DataTable.module.css';
import { Empty } from './Empty';
import { FilterChips, type FilterText } from './FilterChips';
import { ColumnGroup, Head, tableStyle } from './Head';
import { tableMessages } from './messages';
import { Pager } from './Pager';
import { filtersOf } from './search';
import { SelectionBar } from './SelectionBar';
import { TableTools } from './TableTools';
import { useColumnChoice } from './useColumnChoice';
import { useColumnWidths } from './useColumnWidths';
import type { List } from './useList';
import type { Selection } from './useSelection';

interface Props<Row> {
  /** The name under which the table's settings are stored: "orders". */
  id: string;
  /** The contents of the table, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rowId: (row: Row) => string;
  /** The label of a row for its checkbox and its link. */
  rowLabel: (row: Row) => string;
  list: List<Row>;
  /** Inputs next to the search box. */
  filters?: ReactNode;
  /** The labels of filter values. */
  filterText?: FilterText;
  /** Whether the service supports full-text search on this list. */
  searchable?: boolean;
  selection?: Selection<Row>;
  /** Buttons for the selected rows. */
  bulk?: ReactNode;
  /** Opens a row by Enter or click. */
  open?: (row: Row) => void;
  /** The message if the list is empty and no filter is set. */
  empty?: { title: string; hint?: string; action?: ReactNode };
  /** Whether to highlight a row that just changed. */
  isFresh?: (row: Row) => boolean;
}

const skeletonRows = 8;
/** Longer texts may be truncated, in characters. */
const maxTitleLength = 28;

/**
 * A table with the rows of a list of the service. Filters, order and page are in the URL. It has
 * stored column settings, CSV export, and full keyboard control.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, selection, label } = props;
  const { query, state } = props.list;
  const t = useText(tableMessages);
  const narrow = useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
  const choice = useColumnChoice(props.id, columns, narrow);
  const sizes = useColumnWidths(props.id);
  const rows = query.data?.items ?? [];
  const [scroll, fits] = useFits();
  const shown = choice.ordered.filter(({ id }) => choice.visibility[id] === true);
  const sized = narrow || sizes.widths === undefined ? undefined : { columns: shown, hasTicks: selection !== undefined, widths: sizes.widths };
  const total = query.data?.total ?? 0;
  const filtered = Object.keys(filtersOf(state.search)).length > 0;

  return (
    <Paper className={styles.card} data-table={props.id}>
      <TableTools
        {...props}
        choice={choice}
        cover={
          selection !== undefined && selection.count(total) > 0 ? (
            <SelectionBar selection={selection} total={total} totalIsExact={query.data?.totalIsExact ?? true}>
              {props.bulk}
            </SelectionBar>
          ) : undefined
        }
      />
      <FilterChips state={state} filterText={props.filterText} />
      {state.faults.length > 0 && (
        <div className={styles.notice}>
          <Banner
            tone="bad"
            title={t('unreadable', { filters: state.faults.map(({ name, text }) => `${name} “${text}”`).join(', ') })}
            action={<Button onClick={state.clear}>{t('clearFilters')}</Button>}
          >
            {t('unreadableHint')}
          </Banner>
        </div>
      )}
      {query.error !== null && (
        <div className={styles.notice}>
          <ProblemBanner
            error={query.error}
            retry={() => void query.refetch()}
            action={isProblem(query.error, 'malformed_request', 'validation_failed') && <Button onClick={state.clear}>{t('fromTheBeginning')}</Button>}
          />
        </div>
      )}
      <p className="unseen" id={`${props.id}-keys`}>
        {t('keys')}
      </p>
      <div className={styles.scroll} ref={scroll} data-fits={fits || undefined}>
        <table
          className={styles.table}
          data-sized={sized && true}
          style={sized && tableStyle(sized)}
          aria-label={label}
          aria-rowcount={total + 1}
          aria-busy={query.isFetching}
          aria-describedby={`${props.id}-keys`}
        >
          {sized !== undefined && <ColumnGroup {...sized} />}
          <Head columns={shown} rows={rows} rowId={props.rowId} selection={selection} state={state} sizes={narrow ? undefined : sizes} />
          {query.isPending && query.error === null && state.faults.length === 0 ? (
            <Skeleton columns={shown.length + (selection === undefined ? 0 : 1)} />
          ) : (
            <Body {...props} columns={shown} rows={rows} />
          )}
        </table>
      </div>
      {query.data !== undefined && rows.length === 0 && <Empty {...props.empty} filtered={filtered} clear={state.clear} />}
      {query.data !== undefined && (total > 0 || query.data.nextCursor !== null) && <Pager state={state} page={query.data} />}
    </Paper>
  );
}

/** Whether the table fits its container. Its header is sticky only then: in a container that scrolls horizontally it cannot be. */
function useFits(): [RefObject<HTMLDivElement | null>, boolean] {
  const place = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const [box, table] = [place.current, place.current?.firstElementChild];
    if (box === null || !(table instanceof HTMLElement)) return undefined;
    const observer = new ResizeObserver(() => setFits(table.offsetWidth <= box.clientWidth));
    observer.observe(box);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return [place, fits];
}

interface Parts<Row> extends Props<Row> {
  rows: Row[];
}

function Body<Row>(props: Parts<Row>) {
  const { rows, rowId, selection, open } = props;
  const { state } = props.list;
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState(0);
  const focused = Math.min(current, Math.max(0, rows.length - 1));
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setCurrent(next);
    body.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus();
  };
  const isInside = () => body.current?.contains(document.activeElement) === true;
  useKeys({
    j: () => moveTo(isInside() ? focused + 1 : focused),
    k: () => moveTo(isInside() ? focused - 1 : focused),
    '/': () => body.current?.closest('[data-table]')?.querySelector<HTMLElement>('input[type=search], select, input[type=date]')?.focus(),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, index: number, row: Row) => {
    if (event.target !== event.currentTarget) return;
    const act = actionOf(event, { moveTo, index, last: rows.length - 1, toggle: () => selection?.toggle(row), open: () => open?.(row) });
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  return (
    <tbody ref={body}>
      {rows.map((row, index) => (
        <BodyRow
          {...props}
          key={rowId(row)}
          row={row}
          index={index}
          ariaIndex={(state.before ?? 0) + index + 2}
          isCurrent={index === focused}
          onFocus={() => setCurrent(index)}
          onKeyDown={(event) => onKeyDown(event, index, row)}
        />
      ))}
    </tbody>
  );
}

interface Moves {
  moveTo: (index: number) => void;
  index: number;
  last: number;
  toggle: () => void;
  open: () => void;
}

function actionOf(event: KeyboardEvent, { moveTo, index, last, toggle, open }: Moves): (() => void) | undefined {
  switch (event.key) {
    case 'ArrowDown':
      return () => moveTo(index + 1);
    case 'ArrowUp':
      return () => moveTo(index - 1);
    case 'Home':
      return () => moveTo(0);
    case 'End':
      return () => moveTo(last);
    case ' ':
      return toggle;
    case 'Enter':
      return open;
    default:
      return undefined;
  }
}

/** Without the header, a number needs its label, and an amount next to other numbers. */
function needsLabel<Row>(column: Column<Row>, columns: readonly Column<Row>[]): boolean {
  return column.align === 'end' && (column.isAmount !== true || columns.filter(({ align }) => align === 'end').length > 1);
}

interface RowProps<Row> extends Parts<Row> {
  row: Row;
  index: number;
  ariaIndex: number;
  isCurrent: boolean;
  onFocus: () => void;
  onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => void;
}

function BodyRow<Row>({ row, index, ariaIndex, isCurrent, columns, rowId, rowLabel, selection, open, isFresh, onFocus, onKeyDown }: RowProps<Row>) {
  const t = useText(tableMessages);
  const chosen = selection?.has(rowId(row)) ?? false;
  return (
    <tr
      className={styles.row}
      data-index={index}
      data-open={open !== undefined || undefined}
      data-chosen={chosen || undefined}
      data-fresh={isFresh?.(row) === true || undefined}
      aria-rowindex={ariaIndex}
      aria-selected={selection === undefined ? undefined : chosen}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (open !== undefined && !isControl(event.target)) open(row);
      }}
    >
      {selection !== undefined && (
        <td className={styles.tick}>
          <Checkbox size="xs" aria-label={t('chooseRow', { row: rowLabel(row) })} checked={chosen} onChange={() => selection.toggle(row)} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          data-column={column.id}
          data-align={column.align}
          data-label={needsLabel(column, columns) ? column.header : undefined}
          className={column.mono === true ? 'mono' : undefined}
          title={longTitle(column.text?.(row))}
        >
          {column.mono === true && column.text !== undefined && column.text(row) !== '' ? (
            <span className={styles.copied}>
              <span className={styles.clip}>{column.cell(row)}</span>
              <CopyButton text={column.text(row)} label={column.header} />
            </span>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

/** The tooltip of a cell that may be truncated. */
const longTitle = (text: string | undefined) => (text !== undefined && text.length > maxTitleLength ? text : undefined);

/** Whether a click concerns a control in the row, or selects text. */
function isControl(target: EventTarget): boolean {
  const marked = window.getSelection()?.type === 'Range';
  return marked || (target instanceof Element && target.closest('a, button, input, label') !== null);
}

function Skeleton({ columns }: { columns: number }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: skeletonRows }, (_, row) => (
        <tr key={row}>
          {Array.from({ length: columns }, (_cell, column) => (
            <td key={column}>
              <span className={styles.bone} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
