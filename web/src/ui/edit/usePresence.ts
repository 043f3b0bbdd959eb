import { useEffect, useState } from 'react';
import { announceLeaving, announcePresence, useLive, useUser, type PersonName } from '@/api';

/** How often one says that one is still here, in ms. The service forgets after 12 s. */
const heartbeat = 5_000;

export interface Present {
  person: PersonName;
  field: string | undefined;
}

interface People {
  resource: string;
  people: { id: number; name: string; field: string }[];
}

/**
 * Who else is on a record, and on which field. Advisory: it never blocks, and
 * heartbeats that fail are let go.
 */
export function usePresence(resource: string, field?: string): Present[] {
  const me = useUser().id;
  const [present, setPresent] = useState<Present[]>([]);

  useEffect(() => {
    const abort = new AbortController();
    const beat = () => void announcePresence(resource, field, abort.signal).catch(() => undefined);
    beat();
    const timer = setInterval(beat, heartbeat);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [resource, field]);
  useEffect(() => {
    const leave = () => announceLeaving(resource);
    // A closed tab does not unmount anything.
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [resource]);

  useLive('presence', ({ payload }) => {
    const said = payload as unknown as People;
    if (said.resource !== resource) return;
    setPresent(said.people.filter(({ id }) => id !== me).map(({ id, name, field: on }) => ({ person: { id, name }, field: on === '' ? undefined : on })));
  });
  return present;
}
