import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { useKeys } from '../keys';

/** An action of the open page, which its button, its key and the command bar execute. */
export interface Act {
  /** Identifies an act that another page can request, such as "new/items". */
  id?: string;
  label: string;
  /** The record that the act changes. */
  subject?: string;
  /** A single key. */
  hotkey?: string;
  /** The act does not depend on the page. */
  isGeneral?: boolean;
  run: () => void;
}

/** How long a requested act waits for its page, in ms. */
const requestTime = 15_000;

/** The acts that the open page offers. */
class Acts {
  #list: readonly Act[] = [];
  #requested: { id: string; at: number } | undefined;
  readonly #listeners = new Set<() => void>();

  readonly list = (): readonly Act[] => this.#list;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(act: Act): () => void {
    this.#set([...this.#list, act]);
    if (act.id !== undefined && act.id === this.#requested?.id) {
      const isDue = Date.now() - this.#requested.at < requestTime;
      this.#requested = undefined;
      if (isDue) act.run();
    }
    return () => this.#set(this.#list.filter((one) => one !== act));
  }

  /** Runs an act now, or as soon as a page offers it. Returns whether it ran. */
  request(id: string): boolean {
    const act = this.#list.find((one) => one.id === id);
    this.#requested = act === undefined ? { id, at: Date.now() } : undefined;
    act?.run();
    return act !== undefined;
  }

  #set(list: readonly Act[]): void {
    this.#list = list;
    this.#listeners.forEach((listener) => listener());
  }
}

export const acts = new Acts();

export const useActs = (): readonly Act[] => useSyncExternalStore(acts.subscribe, acts.list);

/** Offers an act to the command bar, and binds its key, while the component is mounted; nothing for undefined. */
export function useAct(act: Act | undefined): void {
  const run = useEffectEvent(() => act?.run());
  const isOffered = act !== undefined;
  const { id, label = '', subject, hotkey, isGeneral } = act ?? {};
  useEffect(
    () => (isOffered ? acts.add({ id, label, subject, hotkey, isGeneral, run: () => run() }) : undefined),
    [isOffered, id, label, subject, hotkey, isGeneral],
  );
  useKeys(isOffered && hotkey !== undefined ? { [hotkey]: act.run } : {});
}
