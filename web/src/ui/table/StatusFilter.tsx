import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { overview, type Overview } from '@/api';
import { useFormat } from '@/i18n';
import { filtersOf, type TableSearch } from './search';
import type { TableState } from './useTableState';

/** The parts of the overview that count rows by their status. */
type Counts = { [K in keyof Overview]-?: NonNullable<Overview[K]> extends Record<string, number> ? K : never }[keyof Overview];

interface Props<S extends TableSearch & { status?: string }> {
  state: TableState<S>;
  label: string;
  /** What stands for every status. */
  all: string;
  options: readonly { value: NonNullable<S['status']>; label: string }[];
  /** Where the overview counts them. */
  counts: Counts;
  /** Further chips of the same line. */
  children?: ReactNode;
}

/** The statuses to choose from, with how many rows each has while nothing else narrows the list. */
export function StatusFilter<S extends TableSearch & { status?: string }>({ state: { search, set }, label, all, options, counts, children }: Props<S>) {
  const { number } = useFormat();
  const { data } = useQuery(overview);
  const numbers = data?.[counts] as Readonly<Record<string, number>> | undefined;
  const isNarrowed = Object.keys(filtersOf(search)).some((name) => name !== 'status');
  const count = (status: string) => {
    const n = isNarrowed ? undefined : numbers?.[status];
    return n === undefined ? '' : ` ${number(n)}${data?.capped?.includes(`/${counts}/${status}`) === true ? '+' : ''}`;
  };
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={label}>
      <Choice isChosen={search.status === undefined} onChoose={() => set({ status: undefined } as Partial<S>)}>
        {all}
      </Choice>
      {options.map(({ value, label: words }) => (
        <Choice key={value} isChosen={search.status === value} onChoose={() => set({ status: value } as Partial<S>)}>
          {words}
          {count(value)}
        </Choice>
      ))}
      {children}
    </Group>
  );
}

/** One of a line of filters that are pressed. */
export function Choice({ isChosen, onChoose, children }: { isChosen: boolean; onChoose: () => void; children: ReactNode }) {
  return (
    <Button size="xs" radius="xl" aria-pressed={isChosen} variant={isChosen ? 'filled' : 'default'} onClick={onChoose}>
      {children}
    </Button>
  );
}
