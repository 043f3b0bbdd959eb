import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { liveStream, onBegin, overview, useLive, useUser, type components, type PersonName } from '@/api';

type People = components['schemas']['Presence'];
type Told = ReadonlyMap<string, readonly PersonName[]>;

const none: Told = new Map();

/** Who is on the records of a kind, by path, without oneself: what the service told when it was asked, and what it said of single records since. */
export function peopleIn(kind: string, me: number, asked: readonly People[], told: Told): Told {
  const all = new Map<string, readonly PersonName[]>(asked.map(({ resource, people }) => [resource, people]));
  for (const [resource, people] of told) all.set(resource, people);
  const others = [...all]
    .filter(([resource]) => resource.startsWith(`${kind}/`))
    .map(([resource, people]) => [resource, people.filter(({ id }) => id !== me).map(({ id, name }) => ({ id, name }))] as const);
  return new Map(others.filter(([, people]) => people.length > 0));
}

/**
 * Who else is on the records of a kind, for a list of them. Advisory, like all presence:
 * while the service cannot be heard it is as old as its last word, and after a break it is
 * asked anew.
 */
export function usePeopleIn(kind: string): Told {
  const me = useUser().id;
  const { data, refetch } = useQuery({ ...overview, refetchOnMount: 'always' });
  const [told, setTold] = useState<Told>(none);
  useLive('presence', ({ payload }) => {
    const { resource, people } = payload as unknown as People;
    if (resource.startsWith(`${kind}/`)) setTold((before) => new Map(before).set(resource, people));
  });
  useEffect(() => {
    const anew = () => {
      setTold(none);
      void refetch();
    };
    const stop = [onBegin(anew), liveStream.onGap(anew)];
    return () => stop.forEach((end) => end());
  }, [refetch]);
  return peopleIn(kind, me, data?.workingNow ?? [], told);
}
