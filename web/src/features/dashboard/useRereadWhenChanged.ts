import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLive } from '@/api';
import { overview } from './queries';

/** How long changes are gathered before the numbers are read again, in ms. */
const pause = 400;

/** Reads the dashboard again after any announced change, once for a burst of them. */
export function useRereadWhenChanged(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLive('*', ({ topic }) => {
    if (topic === 'presence') return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: overview.queryKey });
    }, pause);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
