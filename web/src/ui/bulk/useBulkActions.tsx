import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { useSlot } from '../edit/slot';
import { Banner } from '../feedback/Banner';
import type { List } from '../table/useList';
import type { Selection } from '../table/useSelection';
import type { BulkAction, Watched } from './action';
import { BulkDialog } from './BulkDialog';
import { bulkMessages } from './messages';
import { isLeft, resultsOf, type Job } from './run';
import { scopeOf } from './useBulk';

interface Options<Row> {
  /** Of the list: "orders". */
  name: string;
  /** What has to be read again after a run. */
  topic?: string;
  // Each action brings inputs of its own.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what an action is given comes from itself
  actions: readonly BulkAction<Row, any>[];
  list: List<Row>;
  rowId: (row: Row) => string;
  selection: Selection<Row>;
  watched?: Watched<Row>;
}

interface Parts<Row> {
  /** For the chosen rows, above the list. */
  buttons: ReactNode;
  /** Opens an action for one row, whatever else is chosen. */
  open: (id: string, row: Row) => void;
  /** Runs that are not finished, and the dialog that is open. */
  rest: ReactNode;
}

/** What can be done with many rows of a list, and the runs of it that are not finished. */
export function useBulkActions<Row>({ name, topic = name, actions, list, rowId, selection, watched }: Options<Row>): Parts<Row> {
  const [opened, setOpened] = useState<{ id: string; only?: Row }>();
  const chosen = actions.find(({ id }) => id === opened?.id);
  return {
    buttons: actions.map(({ id, words }) => (
      <Button key={id} size="xs" onClick={() => setOpened({ id })}>
        {words.button}
      </Button>
    )),
    open: (id, only) => setOpened({ id, only }),
    rest: (
      <>
        {actions.map(
          (action) => action.id !== opened?.id && <Unfinished key={action.id} list={name} action={action} onOpen={() => setOpened({ id: action.id })} />,
        )}
        {chosen !== undefined && (
          <BulkDialog
            list={name}
            topic={topic}
            action={chosen}
            rowId={rowId}
            selection={opened?.only === undefined ? selection : justOne(opened.only, rowId, selection)}
            readPage={list.readPage}
            shown={list.query.data?.items ?? []}
            watched={watched}
            onClose={() => setOpened(undefined)}
          />
        )}
      </>
    ),
  };
}

/** A choice of one row; what else is chosen stays so. */
function justOne<Row>(row: Row, rowId: (row: Row) => string, selection: Selection<Row>): Selection<Row> {
  const id = rowId(row);
  return {
    ...selection,
    rows: [row],
    all: false,
    keep: (left) => {
      if (!left.has(id) && selection.has(id)) selection.setMany([row], false);
    },
  };
}

/** Says of a run that broke off how far it came, and leads back to it. */
function Unfinished<Row>({ list, action, onOpen }: { list: string; action: BulkAction<Row>; onOpen: () => void }) {
  const t = useText(bulkMessages);
  const { kept } = useSlot(scopeOf(list, action.id), action.words.button);
  const job = (kept?.value as { job: Job<unknown> } | undefined)?.job;
  if (job === undefined) return null;
  const done = resultsOf(job).filter((result) => !isLeft(result)).length;
  return (
    <Banner
      tone="warn"
      title={t('open', { title: action.words.title(job.items.length), done, total: job.items.length })}
      action={<Button onClick={onOpen}>{t('look')}</Button>}
    >
      {t('brokenHint')}
    </Banner>
  );
}
