/** How long a press counts at most, in ms: nobody is told when a scroll bar is let go. */
const longest = 5000;

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

/** Ends the press so many ms from now, unless another one begins before. */
function endAfter(ms: number): void {
  clearTimeout(end);
  end = setTimeout(() => turn(false), ms);
}

/** Watches the pointer from now on; called again, it does nothing. */
function watch(): void {
  if (isWatched) return;
  isWatched = true;
  const begin = () => {
    turn(true);
    endAfter(longest);
  };
  window.addEventListener('pointerdown', begin, true);
  // The click comes after the pointer is up, and belongs to the press.
  for (const over of ['pointerup', 'pointercancel']) window.addEventListener(over, () => endAfter(0), true);
}

/** Whether a pointer is pressed on the page, and the click that it makes is still to come. */
export const press = {
  isPressed: (): boolean => isPressed,
  subscribe: (listener: () => void): (() => void) => {
    watch();
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

/**
 * Calls back in a task of its own, once no pointer is pressed, in the order of the calls. What changes a
 * page by itself would move a button or a row from under the pointer between press and release: the click
 * would be lost, or be one on something else.
 */
export function afterPress(callback: () => void): void {
  watch();
  if (isPressed) waiting.push(callback);
  else setTimeout(callback);
}
