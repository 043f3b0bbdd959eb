import { useEffect, useState } from 'react';
import { announceLeaving, announcePresence, useLive, useUser, type components, type PersonName } from '@/api';

/** How often one says that one is still here, in ms. The service forgets after 12 s. */
const heartbeat = 5_000;

export interface Present {
  person: PersonName;
  field: string | undefined;
}

type People = components['schemas']['Presence'];

const present = (people: readonly { id: number; name: string; field: string }[]): Present[] =>
  people.map(({ id, name, field }) => ({ person: { id, name }, field: field === '' ? undefined : field }));

/**
 * Who else is on a record, and on which field. Advisory: it never blocks, and heartbeats
 * that fail are let go. A tab that is hidden is not there.
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
    // A closed tab does not unmount anything.
    window.addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      window.removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', onVisibility);
      leave();
    };
  }, [resource]);

  useLive('presence', ({ payload }) => {
    const said = payload as unknown as People;
    if (said.resource === resource) setOthers(present(said.people.filter(({ id }) => id !== me)));
  });
  return others;
}
