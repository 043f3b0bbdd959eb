import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLive, useLiveState } from '@/api';
import { endOf, filled, follow, holds, type Feed, type Range } from './feed';
import { saleSamples, saleStats, type SaleStats, type SaleStatus, type Sample } from './queries';

/** The polling interval in ms while the stream is live; the replies only verify it. */
const checkEvery = 10_000;
/** The polling interval in ms while the stream is lost. */
export const pollEvery = 2_000;

const none: Feed = [];

export interface Following {
  /** The samples of the range. */
  feed: Feed;
  /** The end of the charts for a closed sale; undefined for the current time. */
  end: number | undefined;
  last: Sample | undefined;
  /** Why the numbers cannot be read now. */
  error: Error | null;
  retry: () => void;
  isLive: boolean;
}

/** The numbers of a sale: live from the stream, by polling while the stream is lost, and earlier samples from the service. */
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
  // After a return to the tab, the missed samples are read.
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
