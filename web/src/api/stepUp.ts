type Listener = () => void;

/**
 * Requests the second factor from the user when a request needs it again. All requests that need it
 * at the same time share one prompt.
 */
export class StepUpQuestion {
  readonly #waiting = new Set<(shown: boolean) => void>();
  readonly #listeners = new Set<Listener>();

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly isAsked = (): boolean => this.#waiting.size > 0;

  /** Resolves to whether the factor was verified, so that the request can be repeated. */
  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      this.#changed();
    });
  }

  /** Ends the prompt: the factor was verified, or the user cancelled. */
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
