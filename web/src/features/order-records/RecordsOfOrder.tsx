import { Button, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import styles from '@/features/orders/Order.module.css';
import { ProblemBanner, Section } from '@/ui';

interface Props<R> {
  title: string;
  query: Pick<UseQueryResult<{ items: R[] }>, 'data' | 'error' | 'refetch'>;
  none: string;
  /** The button that adds a record; its `open` is undefined if the user cannot add one now. */
  add: { label: string; open: (() => void) | undefined };
  row: (record: R) => ReactNode;
  /** Shown above the records. */
  children?: ReactNode;
}

/** The section of an order's page with its records of one kind. */
export function RecordsOfOrder<R extends { id: number }>({ title, query: { data, error, refetch }, none, add, row, children }: Props<R>) {
  return (
    <Section
      title={title}
      action={
        add.open !== undefined && (
          <Button size="xs" onClick={add.open}>
            {add.label}
          </Button>
        )
      }
    >
      {children}
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data?.items.length === 0 && <Text c="dimmed">{none}</Text>}
      <ul className={styles.list}>
        {data?.items.map((record) => (
          <li key={record.id}>{row(record)}</li>
        ))}
      </ul>
    </Section>
  );
}
