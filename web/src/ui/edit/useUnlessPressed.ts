import { useState, useSyncExternalStore } from 'react';

let isPressed = false;
const listeners = new Set<() => void>();

function turn(pressed: boolean): void {
  isPressed = pressed;
  for (const listener of listeners) listener();
}

const press = () => turn(true);
// The click comes after the pointer is up, and belongs to the press.
const release = () => setTimeout(() => turn(false));

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener('pointerdown', press, true);
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, release, true);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener('pointerdown', press, true);
    for (const end of ['pointerup', 'pointercancel']) window.removeEventListener(end, release, true);
    isPressed = false;
  };
}

/**
 * Returns the value, and while a pointer is pressed the one from before. What appears by itself above
 * a button would move it from under the pointer between press and release, and the click would be lost.
 */
export function useUnlessPressed<T>(value: T): T {
  const pressed = useSyncExternalStore(subscribe, () => isPressed);
  const [held, setHeld] = useState(value);
  if (!pressed && !Object.is(held, value)) setHeld(value);
  return pressed ? held : value;
}
