import { useSyncExternalStore } from 'react';

const tick = 1000;

/** One clock for the page, so that all relative times change together. It stops while the page is hidden. */
class PageClock {
  #now = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(this.#onTick, tick);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };

  readonly now = (): number => {
    if (this.#timer === undefined) this.#now = Date.now();
    return this.#now;
  };

  readonly #onTick = (): void => {
    if (document.visibilityState === 'hidden') return;
    this.#now = Date.now();
    this.#listeners.forEach((listener) => listener());
  };
}

const clock = new PageClock();

/** The time in ms since 1970, updated every second; the component renders again each second. */
export function useNow(): number {
  return useSyncExternalStore(clock.subscribe, clock.now);
}
