type Listener = () => void;

/**
 * Asks the person at the page for the second factor when a request needs it afresh. All
 * requests that need it at the same time wait for one answer.
 */
export class StepUpQuestion {
  readonly #waiting = new Set<(shown: boolean) => void>();
  readonly #listeners = new Set<Listener>();

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly isAsked = (): boolean => this.#waiting.size > 0;

  /** Resolves to whether the factor was shown, so that the request may be repeated. */
  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      this.#changed();
    });
  }

  /** The factor was shown, or nobody is going to. */
  settle(shown: boolean): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    waiting.forEach((resolve) => resolve(shown));
    if (waiting.length > 0) this.#changed();
  }

  #changed(): void {
    this.#listeners.forEach((listener) => listener());
  }
}

export const stepUpQuestion = new StepUpQuestion();
