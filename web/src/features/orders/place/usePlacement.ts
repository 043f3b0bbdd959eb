import { useEffect, useState } from 'react';
import { useUser } from '@/api';
import { randomId } from '@/browser/id';
import { forget, recall, remember } from '@/browser/storage';
import type { Placement, PlacementLine } from './placement';

interface Kept {
  /** Sent along with the order. It stays with what was typed, so that no crash between sending and answer doubles it. */
  key: string;
  value: Placement;
  /** It was sent, and no answer told what became of it. */
  isOpen: boolean;
}

export const emptyLine = (): PlacementLine => ({ id: randomId(), sku: '', quantity: '1' });

const fresh = (): Kept => ({ key: randomId(), value: { userId: '', lines: [emptyLine()], couponCode: '' }, isOpen: false });

/**
 * An order that is being typed. It survives closing the dialog, a reload, a crash and
 * the end of the session, together with its idempotency key.
 */
export function usePlacement() {
  const storedAs = `interlock.draft.${useUser().id}.orders/new`;
  const [{ kept, restored }, setState] = useState(() => {
    const found = restore(storedAs);
    return { kept: found ?? fresh(), restored: found !== undefined };
  });
  useEffect(() => {
    if (kept.isOpen || isTyped(kept.value)) remember(storedAs, JSON.stringify(kept));
    else forget(storedAs);
  }, [storedAs, kept]);
  const change = (members: Partial<Kept>) => setState((before) => ({ ...before, kept: { ...before.kept, ...members } }));
  return {
    ...kept,
    restored,
    isTyped: isTyped(kept.value),
    setValue: (value: Placement) => change({ value }),
    /** Notes that it is sent before it is: the page may not live to see the answer. */
    sending: () => {
      remember(storedAs, JSON.stringify({ ...kept, isOpen: true } satisfies Kept));
      change({ isOpen: true });
    },
    /** The service refused it: what is sent next is another attempt. */
    refused: () => change({ isOpen: false, key: randomId() }),
    /** Begins anew, after it was placed or given up. */
    clear: () => {
      forget(storedAs);
      setState({ kept: fresh(), restored: false });
    },
  };
}

function isTyped({ userId, lines, couponCode }: Placement): boolean {
  return userId !== '' || couponCode !== '' || lines.length !== 1 || lines.some(({ sku, quantity }) => sku !== '' || quantity !== '1');
}

function restore(name: string): Kept | undefined {
  try {
    return (JSON.parse(recall(name) ?? 'null') as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
