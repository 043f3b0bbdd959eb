import { Button } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { useSlot } from '../edit/slot';
import { Banner } from '../feedback/Banner';
import type { List } from '../table/useList';
import type { Selection } from '../table/useSelection';
import { nameOf, type BulkAction, type Watched } from './action';
import type { BulkDialog as Dialog } from './BulkDialog';
import { bulkMessages } from './messages';
import { isLeft, resultsOf, type Job } from './run';
import { scopeOf } from './scope';
import { fixedSelection } from './fixedSelection';

// Loaded on demand. `lazy` loses the type parameters of the component.
const BulkDialog = lazy(async () => ({ default: (await import('./BulkDialog')).BulkDialog })) as unknown as typeof Dialog;

interface Options<Row> {
  /** The name of the list, such as "orders". */
  name: string;
  /** The topic of the queries that are refetched after a run. */
  topic?: string;
  // Each action has its own input type.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- an action only receives its input
  actions: readonly BulkAction<Row, any>[];
  rowId: (row: Row) => string;
  /** The list with its selection; actions for tables need neither. */
  list?: List<Row>;
  selection?: Selection<Row>;
  watched?: Watched<Row>;
}

interface Parts<Row> {
  /** Buttons for the selected rows, above the list. */
  buttons: ReactNode;
  /** Buttons for rows of a table, in the page header. */
  tables: ReactNode;
  /** Opens an action for these rows, independent of the selection. */
  open: (id: string, rows: readonly Row[]) => void;
  /** Unfinished runs, and the open dialog. */
  rest: ReactNode;
}

interface Opened<Row> {
  id: string;
  only?: readonly Row[];
  isTable?: boolean;
}

const nothing = () => Promise.resolve({ items: [], nextCursor: null, total: 0, totalIsExact: true });

/** The bulk actions of a list or a table, and their unfinished runs. */
export function useBulkActions<Row>({ name, topic = name, actions, list, rowId, selection, watched }: Options<Row>): Parts<Row> {
  const [opened, setOpened] = useState<Opened<Row>>();
  const chosen = actions.find(({ id }) => id === opened?.id);
  const isOfList = opened?.only === undefined && opened?.isTable !== true && selection !== undefined;
  return {
    buttons: actions.map(
      ({ id, labels }) =>
        labels.button !== undefined && (
          <Button key={id} size="xs" onClick={() => setOpened({ id })}>
            {labels.button}
          </Button>
        ),
    ),
    tables: actions.map(
      ({ id, table }) =>
        table !== undefined && (
          <Button key={id} onClick={() => setOpened({ id, isTable: true })}>
            {table.button}
          </Button>
        ),
    ),
    open: (id, only) => setOpened({ id, only }),
    rest: (
      <>
        {actions.map(
          (action) => action.id !== opened?.id && <Unfinished key={action.id} list={name} action={action} onOpen={() => setOpened({ id: action.id })} />,
        )}
        <Suspense>
          {chosen !== undefined && (
            <BulkDialog
              list={name}
              topic={topic}
              action={chosen}
              rowId={rowId}
              isTable={opened?.isTable === true}
              chosen={{
                selection: isOfList ? selection : fixedSelection(opened?.only ?? [], rowId, selection),
                readPage: list?.readPage ?? nothing,
                shown: list?.query.data?.items ?? [],
              }}
              watched={watched}
              onClose={() => setOpened(undefined)}
            />
          )}
        </Suspense>
      </>
    ),
  };
}

/** Displays the progress of an interrupted run, with a link to it. */
function Unfinished<Row>({ list, action, onOpen }: { list: string; action: BulkAction<Row>; onOpen: () => void }) {
  const t = useText(bulkMessages);
  const { stored: kept } = useSlot(scopeOf(list, action.id), nameOf(action));
  const job = (kept?.value as { job: Job<unknown> } | undefined)?.job;
  if (job === undefined) return null;
  const done = resultsOf(job).filter((result) => !isLeft(result)).length;
  return (
    <Banner
      tone="warn"
      title={t('open', { title: action.labels.title(job.items.length), done, total: job.items.length })}
      action={<Button onClick={onOpen}>{t('showProgress')}</Button>}
    >
      {t('interruptedHint')}
    </Banner>
  );
}
