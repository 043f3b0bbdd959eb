/** The time after which a press ends without an event, in ms: the release of a scroll bar fires none. */
const maxPress = 5000;

let isPressed = false;
let isWatched = false;
let end: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const waiting: (() => void)[] = [];

function turn(pressed: boolean): void {
  isPressed = pressed;
  for (const listener of listeners) listener();
  if (!pressed) for (const callback of waiting.splice(0)) setTimeout(callback);
}

/** Ends the press after a delay in ms, unless another press starts first. */
function endAfter(ms: number): void {
  clearTimeout(end);
  end = setTimeout(() => turn(false), ms);
}

/** Starts to watch the pointer; repeated calls have no effect. */
function watch(): void {
  if (isWatched) return;
  isWatched = true;
  const begin = () => {
    turn(true);
    endAfter(maxPress);
  };
  window.addEventListener('pointerdown', begin, true);
  // The click fires after pointerup and belongs to the press.
  for (const over of ['pointerup', 'pointercancel']) window.addEventListener(over, () => endAfter(0), true);
}

/** Whether a pointer is pressed on the page, or was released and its click event has not fired yet. */
export const press = {
  isPressed: (): boolean => isPressed,
  subscribe: (listener: () => void): (() => void) => {
    watch();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/**
 * Calls back in a separate task once no pointer is pressed, in the order of the calls. A change of
 * the page between press and release could move a button or a row away from the pointer: the click
 * would be lost or hit another element.
 */
export function afterPress(callback: () => void): void {
  watch();
  if (isPressed) waiting.push(callback);
  else setTimeout(callback);
}
