import { useState, useSyncExternalStore } from 'react';
import { press } from '../../browser/press';

/**
 * Returns the value, or the previous one while a pointer is pressed: a notice that appears above a
 * button would move it away from the pointer. Cache updates wait for the release anyway, but a form
 * can re-render for another reason, such as a field that loses the focus.
 */
export function useUnlessPressed<T>(value: T): T {
  const pressed = useSyncExternalStore(press.subscribe, press.isPressed);
  const [displayed, setDisplayed] = useState(value);
  if (!pressed && !Object.is(displayed, value)) setDisplayed(value);
  return pressed ? displayed : value;
}
