import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { overview, type Overview } from '@/api';
import { useFormat } from '@/i18n';
import { filtersOf, type TableSearch } from './search';
import type { TableState } from './useTableState';

/** The members of the overview that count rows by status. */
type Counts = { [K in keyof Overview]-?: NonNullable<Overview[K]> extends Record<string, number> ? K : never }[keyof Overview];

interface Props<S extends TableSearch & { status?: string }> {
  state: TableState<S>;
  label: string;
  /** The label for all statuses. */
  all: string;
  options: readonly { value: NonNullable<S['status']>; label: string }[];
  /** The member of the overview with the counts; undefined for no counts. */
  counts?: Counts;
  /** Further chips on the same line. */
  children?: ReactNode;
}

/** The status filter. It shows the number of rows per status while no other filter is active. */
export function StatusFilter<S extends TableSearch & { status?: string }>({ state: { search, set }, label, all, options, counts, children }: Props<S>) {
  const { number } = useFormat();
  const { data } = useQuery(overview);
  const numbers = (counts && data?.[counts]) as Readonly<Record<string, number>> | undefined;
  const isNarrowed = Object.keys(filtersOf(search)).some((name) => name !== 'status');
  const count = (status: string) => {
    const n = isNarrowed ? undefined : numbers?.[status];
    return n === undefined ? '' : ` ${number(n)}${data?.capped?.includes(`/${counts ?? ''}/${status}`) === true ? '+' : ''}`;
  };
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={label}>
      <Choice isChosen={search.status === undefined} onChoose={() => set({ status: undefined } as Partial<S>)}>
        {all}
      </Choice>
      {options.map(({ value, label }) => (
        <Choice key={value} isChosen={search.status === value} onChoose={() => set({ status: value } as Partial<S>)}>
          {label}
          {count(value)}
        </Choice>
      ))}
      {children}
    </Group>
  );
}

/** One toggle button of a filter line. */
export function Choice({ isChosen, onChoose, children }: { isChosen: boolean; onChoose: () => void; children: ReactNode }) {
  return (
    <Button size="xs" radius="xl" aria-pressed={isChosen} variant={isChosen ? 'filled' : 'default'} onClick={onChoose}>
      {children}
    </Button>
  );
}
