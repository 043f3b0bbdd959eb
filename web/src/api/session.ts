import { ownerOf } from '@/browser/drafts';
import type { components } from './schema';

export type Session = components['schemas']['Session'];
export type SessionUser = Session['user'];

/**
 * - loading: not yet asked.
 * - unreachable: the service did not answer.
 * - out: nobody is signed in.
 * - in: somebody is; `elsewhere` when another tab signed them in, in place of whom one was here.
 * - expired: the session of somebody who is at work has ended. What is on the screen
 *   stays, and requests wait until the same person has signed in again.
 */
export type SessionState =
  | { status: 'loading' }
  | { status: 'unreachable' }
  | { status: 'out' }
  | { status: 'in'; session: Session; elsewhere: boolean }
  | { status: 'expired'; session: Session };

type Listener = () => void;

/** Whether two sessions are of one person in one tenant. */
export const isSame = (a: Session, b: Session): boolean => a.user.id === b.user.id && a.tenant === b.tenant;

/** Holds who is signed in. One for the whole page; requests and components share it. */
export class SessionStore {
  #state: SessionState = { status: 'loading' };
  /** Who was signed in last, also after the sign-out. */
  #last: Session | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<(signedIn: boolean) => void>();
  /** Ends, whatever it comes to, when the session has been renewed. */
  #renewal: Promise<void> | undefined;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** That of who is signed in, or was when it ended. */
  get session(): Session | undefined {
    return 'session' in this.#state ? this.#state.session : undefined;
  }

  /** Whose drafts are kept now; undefined while nobody is signed in. */
  get owner(): string | undefined {
    return this.session && ownerOf(this.session.tenant, this.session.user.id);
  }

  get csrfToken(): string | undefined {
    return this.session?.csrfToken;
  }

  /**
   * Somebody has signed in. Requests that waited for the person who was at work go
   * on; if it is somebody else, or another tenant, they are given up, for they are not
   * theirs.
   */
  signedIn(session: Session, where: 'here' | 'elsewhere' = 'here'): void {
    const same = this.#last === undefined || isSame(this.#last, session);
    this.#last = session;
    this.#set({ status: 'in', session, elsewhere: where === 'elsewhere' && !same });
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
   * The session is going on under another cookie. What is refused until then, and was sent
   * with the one of before, is no sign that it has ended.
   */
  renewing(renewal: Promise<unknown>): void {
    const over = () => {
      if (this.#renewal === mine) this.#renewal = undefined;
    };
    const mine = renewal.then(over, over);
    this.#renewal = mine;
  }

  /**
   * A request was refused for want of a session; `sent` is the CSRF token of the session that
   * it was sent in. Resolves to whether the same person has signed in again, so that the
   * request may be repeated.
   */
  expired(sent = this.csrfToken): Promise<boolean> {
    if (this.#renewal !== undefined) return this.#renewal.then(() => this.expired(sent));
    if (this.#state.status === 'in' && this.csrfToken !== sent) return Promise.resolve(true);
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
