import { useState, useSyncExternalStore } from 'react';
import { press } from '../../browser/press';

/**
 * Returns the value, and while a pointer is pressed the one from before. What appears by itself above
 * a button would move it from under the pointer. The cache's news wait for the release anyway; a form
 * shows them before that when it is rendered for another reason, such as the field that loses the focus.
 */
export function useUnlessPressed<T>(value: T): T {
  const pressed = useSyncExternalStore(press.subscribe, press.isPressed);
  const [held, setHeld] = useState(value);
  if (!pressed && !Object.is(held, value)) setHeld(value);
  return pressed ? held : value;
}
