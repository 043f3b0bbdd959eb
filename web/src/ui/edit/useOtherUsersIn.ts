import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { liveStream, onBegin, overview, useLive, useUser, type components, type PersonName } from '@/api';

type People = components['schemas']['Presence'];
type UsersByPath = ReadonlyMap<string, readonly PersonName[]>;

const none: UsersByPath = new Map();

/** The other users on records of a kind, by path: the fetched presence, updated by later events. */
export function otherUsersIn(kind: string, me: number, fetched: readonly People[], updates: UsersByPath): UsersByPath {
  const all = new Map<string, readonly PersonName[]>(fetched.map(({ resource, people }) => [resource, people]));
  for (const [resource, people] of updates) all.set(resource, people);
  const others = [...all]
    .filter(([resource]) => resource.startsWith(`${kind}/`))
    .map(([resource, people]) => [resource, people.filter(({ id }) => id !== me).map(({ id, name }) => ({ id, name }))] as const);
  return new Map(others.filter(([, people]) => people.length > 0));
}

/**
 * The other users on the records of a kind, for their list. Presence is advisory: it is stale
 * without a connection, and is fetched again after a gap.
 */
export function useOtherUsersIn(kind: string): UsersByPath {
  const me = useUser().id;
  const { data, refetch } = useQuery({ ...overview, refetchOnMount: 'always' });
  const [updates, setUpdates] = useState<UsersByPath>(none);
  useLive('presence', ({ payload }) => {
    const { resource, people } = payload as unknown as People;
    if (resource.startsWith(`${kind}/`)) setUpdates((before) => new Map(before).set(resource, people));
  });
  useEffect(() => {
    const refresh = () => {
      setUpdates(none);
      void refetch();
    };
    const stop = [onBegin(refresh), liveStream.onGap(refresh)];
    return () => stop.forEach((end) => end());
  }, [refetch]);
  return otherUsersIn(kind, me, data?.workingNow ?? [], updates);
}
