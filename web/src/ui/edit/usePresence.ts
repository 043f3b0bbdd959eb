import { useEffect, useState } from 'react';
import { announcePresence, useLive, useUser, type PersonName } from '@/api';
import { useNow } from '../now';

/** How often one says that one is still here, in ms. */
const heartbeat = 5_000;
/** How long somebody is shown after his last heartbeat. */
const lifetime = 12_000;

export interface Present {
  person: PersonName;
  field: string | undefined;
}

interface Seen extends Present {
  at: number;
}

/**
 * Who else is on a record, and on which field. Advisory: it never blocks, heartbeats
 * that fail are let go, and who is not heard of for a few seconds is gone.
 */
export function usePresence(resource: string, field?: string): Present[] {
  const me = useUser().id;
  const now = useNow();
  const [seen, setSeen] = useState<ReadonlyMap<number, Seen>>(new Map());

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

  useLive('presence', ({ key, payload }) => {
    const { user, field: on } = payload as { user?: PersonName; field?: string };
    if (key !== resource || user === undefined || user.id === me) return;
    setSeen((before) => new Map(before).set(user.id, { person: user, field: on, at: Date.now() }));
  });
  return [...seen.values()].filter(({ at }) => now - at < lifetime);
}
