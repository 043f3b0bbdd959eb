import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLive, useLiveState } from '@/api';
import { filled, follow, holds, type Feed } from './feed';
import { saleSamples, saleStats, type SaleStats, type SaleStatus, type Sample } from './queries';

/** How often the numbers are asked for, in ms: as a second opinion, and while there is no stream. */
const checkEvery = 10_000;
export const pollEvery = 2_000;

export interface Following {
  feed: Feed;
  last: Sample | undefined;
  /** Why the numbers cannot be had now. */
  error: Error | null;
  retry: () => void;
  isLive: boolean;
}

/** The numbers of a sale as they come: announced by the stream, asked for when it is away, and what they were before. */
export function useFeed(id: number, status: SaleStatus): Following {
  const queries = useQueryClient();
  const isLive = useLiveState().status === 'live';
  const { queryKey, ...options } = saleStats(id);
  const query = useQuery({ queryKey, ...options, enabled: status !== 'draft', refetchInterval: isLive ? checkEvery : pollEvery, structuralSharing: false });
  useLive('flash-sales', ({ key, payload }) => {
    if (key !== String(id) || payload.action !== 'stats') return;
    queries.setQueryData(queryKey, { at: Date.now(), stats: payload.detail as SaleStats });
  });
  const [feed, setFeed] = useState<Feed>([]);
  const [seen, setSeen] = useState<Sample>();
  if (query.data !== undefined && query.data !== seen) {
    setSeen(query.data);
    setFeed(follow(feed, query.data));
  }
  // Who comes back to a tab is told what he missed.
  const { data: samples } = useQuery({ ...saleSamples(id), enabled: status !== 'draft', staleTime: holds, refetchOnWindowFocus: true });
  const all = useMemo(() => filled(feed, samples ?? []), [feed, samples]);
  return { feed: all, last: feed.at(-1), error: query.error, retry: () => void query.refetch(), isLive };
}
