import { useState, useSyncExternalStore } from 'react';
import { press } from '../../browser/press';

/**
 * Returns the value, or the previous value while a pointer is pressed. Otherwise a notice could
 * appear above a button during a click and move it away from the pointer. Cache updates wait for
 * the release anyway, but a form also renders for other reasons, such as a field that loses the
 * focus.
 */
export function useUnlessPressed<T>(value: T): T {
  const pressed = useSyncExternalStore(press.subscribe, press.isPressed);
  const [displayed, setDisplayed] = useState(value);
  if (!pressed && !Object.is(displayed, value)) setDisplayed(value);
  return pressed ? displayed : value;
}
