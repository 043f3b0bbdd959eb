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
import { onlyThese } from './fixedSelection';

// Loaded with what it takes; of a component that is, the type of its rows is lost.
const BulkDialog = lazy(async () => ({ default: (await import('./BulkDialog')).BulkDialog })) as unknown as typeof Dialog;

interface Options<Row> {
  /** Of the list: "orders". */
  name: string;
  /** What has to be read again after a run. */
  topic?: string;
  // Each action brings inputs of its own.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an action is given comes from itself
  actions: readonly BulkAction<Row, any>[];
  rowId: (row: Row) => string;
  /** Where rows are chosen; actions whose rows come from a table need neither. */
  list?: List<Row>;
  selection?: Selection<Row>;
  watched?: Watched<Row>;
}

interface Parts<Row> {
  /** For the chosen rows, above the list. */
  buttons: ReactNode;
  /** For rows that a table names, in the head of the page. */
  tables: ReactNode;
  /** Opens an action for some rows, whatever else is chosen. */
  open: (id: string, rows: readonly Row[]) => void;
  /** Runs that are not finished, and the dialog that is open. */
  rest: ReactNode;
}

interface Opened<Row> {
  id: string;
  only?: readonly Row[];
  isTable?: boolean;
}

const nothing = () => Promise.resolve({ items: [], nextCursor: null, total: 0, totalIsExact: true });

/** What can be done with many rows of a list or a table, and the runs of it that are not finished. */
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
                selection: isOfList ? selection : onlyThese(opened?.only ?? [], rowId, selection),
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

/** Says of a run that broke off how far it came, and leads back to it. */
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
      action={<Button onClick={onOpen}>{t('look')}</Button>}
    >
      {t('brokenHint')}
    </Banner>
  );
}
