import type { components } from './schema';

export type Session = components['schemas']['Session'];
export type SessionUser = Session['user'];

/**
 * - loading: not yet asked.
 * - unreachable: the service did not answer.
 * - out: nobody is signed in.
 * - in: somebody is.
 * - expired: the session of somebody who is at work has ended. What is on the screen
 *   stays, and requests wait until the same person has signed in again.
 */
export type SessionState =
  { status: 'loading' } | { status: 'unreachable' } | { status: 'out' } | { status: 'in'; session: Session } | { status: 'expired'; session: Session };

type Listener = () => void;

/** Holds who is signed in. One for the whole page; requests and components share it. */
export class SessionStore {
  #state: SessionState = { status: 'loading' };
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<(signedIn: boolean) => void>();

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  get csrfToken(): string | undefined {
    return 'session' in this.#state ? this.#state.session.csrfToken : undefined;
  }

  get user(): SessionUser | undefined {
    return 'session' in this.#state ? this.#state.session.user : undefined;
  }

  /**
   * Somebody has signed in. Requests that waited for the person who was at work go
   * on; if it is somebody else they are given up, for they are not his.
   */
  signedIn(session: Session): void {
    const same = this.user === undefined || this.user.id === session.user.id;
    this.#set({ status: 'in', session });
    this.#release(same);
  }

  /** Nobody is signed in any more, by choice or from the start. */
  signedOut(): void {
    this.#set({ status: 'out' });
    this.#release(false);
  }

  unreachable(): void {
    this.#set({ status: 'unreachable' });
  }

  /**
   * A request was refused for want of a session. Resolves to whether the same person
   * has signed in again, so that the request may be repeated.
   */
  expired(): Promise<boolean> {
    if (this.#state.status !== 'in' && this.#state.status !== 'expired') return Promise.resolve(false);
    this.#set({ status: 'expired', session: this.#state.session });
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #release(signedIn: boolean): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    waiting.forEach((resolve) => resolve(signedIn));
  }

  #set(state: SessionState): void {
    if (this.#state.status === state.status && state.status !== 'in') return;
    this.#state = state;
    this.#listeners.forEach((listener) => listener());
  }
}

export const sessionStore = new SessionStore();

/** Whether a list of permissions grants one: by name, by `resource:*`, or by `*`. */
export function may(permissions: readonly string[], permission: string): boolean {
  const [resource = ''] = permission.split(':');
  return permissions.includes(permission) || permissions.includes(`${resource}:*`) || permissions.includes('*');
}
