import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLive, useLiveState } from '@/api';
import { endOf, filled, follow, holds, type Feed, type Range } from './feed';
import { saleSamples, saleStats, type SaleStats, type SaleStatus, type Sample } from './queries';

/** How often the numbers are asked for, in ms: as a second opinion, and while there is no stream. */
const checkEvery = 10_000;
export const pollEvery = 2_000;

const none: Feed = [];

export interface Following {
  /** The numbers of the range. */
  feed: Feed;
  /** When the charts end, of a sale that rests; else now. */
  end: number | undefined;
  last: Sample | undefined;
  /** Why the numbers cannot be had now. */
  error: Error | null;
  retry: () => void;
  isLive: boolean;
}

/** The numbers of a sale as they come: announced by the stream, asked for when it is away, and what they were before. */
export function useFeed(id: number, status: SaleStatus, range: Range): Following {
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
  // Who comes back to a tab is told what they missed.
  const isClosed = status === 'closed';
  const { data: samples = none } = useQuery({
    ...saleSamples(id, range, isClosed),
    enabled: status !== 'draft',
    staleTime: holds,
    refetchOnWindowFocus: true,
    placeholderData: keepPreviousData,
  });
  const last = feed.at(-1);
  const end = endOf(isClosed, samples, last);
  const all = useMemo(() => filled(end === undefined ? feed : none, samples, range), [feed, samples, end, range]);
  return { feed: all, end, last, error: query.error, retry: () => void query.refetch(), isLive };
}
