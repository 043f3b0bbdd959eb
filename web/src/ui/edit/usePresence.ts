import { useEffect, useState } from 'react';
import { announceLeaving, announcePresence, useLive, useUser, type components, type PersonName } from '@/api';

/** The interval between heartbeats, in ms. The service expires a presence after 12 s. */
const heartbeat = 5_000;

export interface Present {
  person: PersonName;
  field: string | undefined;
}

type People = components['schemas']['Presence'];

const present = (people: readonly { id: number; name: string; field: string }[]): Present[] =>
  people.map(({ id, name, field }) => ({ person: { id, name }, field: field === '' ? undefined : field }));

/**
 * The other users on a record, and the field that each has open. Presence is advisory: failed
 * heartbeats are ignored, and a hidden tab sends none.
 */
export function usePresence(resource: string, field?: string): Present[] {
  const me = useUser().id;
  const [others, setOthers] = useState<Present[]>([]);

  useEffect(() => {
    const abort = new AbortController();
    let isSending = false;
    const beat = async () => {
      if (isSending || document.visibilityState === 'hidden') return;
      isSending = true;
      const found = await announcePresence(resource, field, abort.signal);
      isSending = false;
      if (found !== undefined && !abort.signal.aborted) setOthers(present(found));
    };
    void beat();
    const timer = setInterval(() => void beat(), heartbeat);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [resource, field]);
  useEffect(() => {
    const leave = () => announceLeaving(resource);
    const onVisibility = () => document.visibilityState === 'hidden' && leave();
    // The effect cleanup does not run when the tab is closed.
    window.addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      window.removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', onVisibility);
      leave();
    };
  }, [resource]);

  useLive('presence', ({ payload }) => {
    const presence = payload as unknown as People;
    if (presence.resource === resource) setOthers(present(presence.people.filter(({ id }) => id !== me)));
  });
  return others;
}
