import { useState } from 'react';
import { useLive } from '@/api';
import type { Config } from '../queries';

/** How long a change is highlighted, in ms: the duration of the fade. */
const fades = 4000;

/** Returns a function that reports whether a config was changed just now, by any user. */
export function useRecentlyChanged(): (config: Config) => boolean {
  const [fresh, setFresh] = useState<ReadonlyMap<string, string>>(new Map());
  useLive('configs', ({ key, payload }) => {
    const etag = String(payload.etag);
    setFresh((before) => new Map(before).set(key, etag));
    setTimeout(() => {
      setFresh((before) => (before.get(key) === etag ? new Map([...before].filter(([other]) => other !== key)) : before));
    }, fades);
  });
  return ({ key, etag }) => fresh.get(key) === etag;
}
