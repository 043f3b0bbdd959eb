import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '@/browser/storage';

/** How times are displayed: relative, or absolute in the browser's zone or in UTC. */
export const timeStyles = ['ago', 'local', 'utc'] as const;
export type TimeStyle = (typeof timeStyles)[number];

const storedAs = 'interlock.times';
const listeners = new Set<() => void>();
let chosen: TimeStyle = timeStyles.find((style) => style === readStored(storedAs)) ?? 'ago';

/** The current style, for code outside components. */
export const timeStyle = (): TimeStyle => chosen;

export function chooseTimeStyle(style: TimeStyle): void {
  chosen = style;
  writeStored(storedAs, style);
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useTimeStyle = (): TimeStyle => useSyncExternalStore(subscribe, timeStyle);
