import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useMay, type PersonName, type Winner } from '@/api';
import { useText } from '@/i18n';
import { ActButton, History, LostRace, RecordPage, revisionsOf, StatusMove, stepKeys, useSteps } from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import type { Paged } from '@/ui/record/History';
import { orderRecordMessages } from './messages';
import type { OrderRecord, OrderRecordFolder } from './OrderRecordList';

interface Stepped<A extends string> extends Pick<OrderRecord, 'id'> {
  version: number;
  etag: string;
  allowedTransitions: A[];
}

interface StatusEvent<S extends string> {
  version: number;
  from: S | null;
  to: S;
  changedBy: PersonName;
  changedTime: string;
}

/** The properties of a step's dialog. */
export interface StepProps<R, A> {
  row: R;
  action: A;
  onClose: () => void;
  /** Called if another user was first. */
  onLost: (winner: Winner<R>) => void;
}

interface Props<R, A extends string, S extends string, E> {
  id: number;
  folder: OrderRecordFolder;
  query: Pick<UseQueryResult<R>, 'data' | 'error' | 'refetch'>;
  past: Paged<E>;
  /** The name of the record, such as "Refund 7", and of its list. */
  name: string;
  list: string;
  chip: (row: R) => ReactNode;
  labels: { status: (status: S) => string; action: (action: A) => string };
  /** The permission for a step. */
  permission: (action: A) => string;
  /** The reason why the user cannot do a possible step; the disabled button shows it. */
  hint?: (action: A, row: R) => string | undefined;
  /** Further buttons. */
  actions?: (row: R) => ReactNode;
  /** The amount of the winner of a lost race, and further details. */
  lost?: { more: (row: R) => string; details?: (row: R) => ReactNode };
  /** Notices above the sections. */
  notices?: (row: R) => ReactNode;
  dialog: (props: StepProps<R, A>) => ReactNode;
  /** The action and details of an event. */
  event: (event: E) => { action: string; details: ReactNode };
  /** The sections next to the history. */
  children: (row: R) => ReactNode;
}

/** The page of a record of an order: status, steps with their dialogs, lost races, sections and history. */
export function OrderRecordPage<R extends Stepped<A> & { status: S }, A extends string, S extends string, E extends StatusEvent<S>>(props: Props<R, A, S, E>) {
  const { id, folder, query, past, name, list, chip, labels, permission, hint, actions, lost, notices, dialog, event, children } = props;
  const t = useText(orderRecordMessages);
  const may = useMay();
  const path = `${folder}/${id}`;
  const steps = useSteps<A>(`${path}/steps`, query.data?.allowedTransitions ?? []).filter((action) => may(permission(action)));
  const [open, setOpen] = useState<{ row: R; action: A }>();
  const [winner, setWinner] = useState<Winner<R>>();
  const hints = (row: R) => new Set(steps.flatMap((action) => hint?.(action, row) ?? []));
  return (
    <RecordPage
      query={query}
      name={name}
      parent={{ to: `/${folder}`, label: list }}
      resource={path}
      chips={chip}
      actions={(row) => (
        <>
          {steps.map((action, i) => {
            const reason = hint?.(action, row);
            return (
              <ActButton
                key={action}
                hotkey={stepKeys[action]}
                variant={i === 0 && reason === undefined ? 'filled' : 'default'}
                disabled={reason !== undefined}
                title={reason}
                onClick={() => {
                  setWinner(undefined);
                  setOpen({ row, action });
                }}
              >
                {labels.action(action)}
              </ActButton>
            );
          })}
          {actions?.(row)}
        </>
      )}
    >
      {(row) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={labels.status(winner.current.status)}
              more={lost?.more(winner.current)}
              actions={winner.current.allowedTransitions.map(labels.action)}
              onClose={() => setWinner(undefined)}
            >
              {lost?.details?.(row)}
            </LostRace>
          )}
          {notices?.(row)}
          {[...hints(row)].map((reason) => (
            <Text key={reason} c="dimmed">
              {reason}
            </Text>
          ))}
          <div className={styles.columns}>
            <div className={styles.main}>{children(row)}</div>
            <History
              title={t('history')}
              query={past}
              aside
              entries={revisionsOf(past).map((one) => ({ ...one, ...event(one), marks: <StatusMove event={one} name={labels.status} /> }))}
            />
          </div>
          {open !== undefined && dialog({ ...open, onClose: () => setOpen(undefined), onLost: setWinner })}
        </>
      )}
    </RecordPage>
  );
}
