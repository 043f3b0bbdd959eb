import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { SideDrawer } from '../Dialog';
import { uiMessages } from '../messages';

interface Props<R> {
  query: Pick<UseQueryResult<R>, 'data' | 'error' | 'refetch'>;
  title: string;
  /** Displayed if the record does not exist. */
  missing: ReactNode;
  /** Links to other records. */
  foot?: ReactNode;
  onClose: () => void;
  children: (record: R) => ReactNode;
}

/** The details of a row in a drawer next to its list. */
export function RecordDrawer<R>({ query: { data, error, refetch }, title, missing, foot, onClose, children }: Props<R>) {
  const ui = useText(uiMessages);
  return (
    <SideDrawer onClose={onClose} size="md" title={title}>
      {isProblem(error, 'not_found') ? missing : error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data !== undefined && children(data)}
      {foot}
    </SideDrawer>
  );
}
