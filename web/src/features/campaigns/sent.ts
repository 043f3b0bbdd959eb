import { useState } from 'react';
import { useUser } from '@/api';

interface Sent<T> {
  key: string;
  request: T;
}

/**
 * What was sent under an idempotency key and not answered yet. It outlives the dialog
 * and a reload of the tab, as the key does: asking again with the same key only tells
 * the truth when the same is asked for.
 */
export function useSent<T>(scope: string, key: string): { sent: T | undefined; keep: (request: T) => void; forget: () => void } {
  const user = useUser().id;
  const storedAs = `interlock.sent.${user}.${scope}`;
  const [sent, setSent] = useState(() => recalled(storedAs, key) as T | undefined);
  const store = (value: string | undefined) => {
    try {
      if (value === undefined) sessionStorage.removeItem(storedAs);
      else sessionStorage.setItem(storedAs, value);
    } catch {
      // It then lives as long as the dialog.
    }
  };
  return {
    sent,
    keep: (request) => {
      setSent(request);
      store(JSON.stringify({ key, request } satisfies Sent<T>));
    },
    forget: () => {
      setSent(undefined);
      store(undefined);
    },
  };
}

function recalled(name: string, key: string): unknown {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Sent<unknown> | null;
    return kept?.key === key ? kept.request : undefined;
  } catch {
    return undefined;
  }
}
