import { ownerOf } from '@/browser/drafts';
import type { components } from './schema';

export type Session = components['schemas']['Session'];
export type SessionUser = Session['user'];

/**
 * - loading: not yet requested.
 * - unreachable: the service did not reply.
 * - out: signed out.
 * - in: signed in; `elsewhere` is true if another tab signed in as a different user or in a
 *   different tenant.
 * - expired: the session ended while the user was working. The page stays on the screen, and
 *   requests wait until the same user has signed in again.
 */
export type SessionState =
  | { status: 'loading' }
  | { status: 'unreachable' }
  | { status: 'out' }
  | { status: 'in'; session: Session; elsewhere: boolean }
  | { status: 'expired'; session: Session };

type Listener = () => void;

/** Whether two sessions belong to one user in one tenant. */
export const isSame = (a: Session, b: Session): boolean => a.user.id === b.user.id && a.tenant === b.tenant;

/** Stores the session. The page has one store, shared by requests and components. */
export class SessionStore {
  #state: SessionState = { status: 'loading' };
  /** The last session, also after sign-out. */
  #last: Session | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #waiting = new Set<(signedIn: boolean) => void>();
  /** Settles when the running session renewal has ended, also if it failed. */
  #renewal: Promise<void> | undefined;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** The current session, or the expired one. */
  get session(): Session | undefined {
    return 'session' in this.#state ? this.#state.session : undefined;
  }

  /** The owner of the stored drafts; undefined while signed out. */
  get owner(): string | undefined {
    return this.session && ownerOf(this.session.tenant, this.session.user.id);
  }

  get csrfToken(): string | undefined {
    return this.session?.csrfToken;
  }

  /**
   * Records a sign-in. Requests that wait for the same user resume. If another user or another
   * tenant signed in, they are rejected.
   */
  signedIn(session: Session, where: 'here' | 'elsewhere' = 'here'): void {
    const same = this.#last === undefined || isSame(this.#last, session);
    this.#last = session;
    this.#set({ status: 'in', session, elsewhere: where === 'elsewhere' && !same });
    this.#release(same);
  }

  /** Records that no user is signed in, after a sign-out or from the start. */
  signedOut(): void {
    this.#set({ status: 'out' });
    this.#release(false);
  }

  unreachable(): void {
    this.#set({ status: 'unreachable' });
  }

  /**
   * Records that the session cookie is being renewed. A 401 for a request that was sent with the
   * earlier cookie does not mean that the session has ended.
   */
  renewing(renewal: Promise<unknown>): void {
    const over = () => {
      if (this.#renewal === mine) this.#renewal = undefined;
    };
    const mine = renewal.then(over, over);
    this.#renewal = mine;
  }

  /**
   * Handles a request that was rejected because its session has ended. `sent` is the CSRF token of
   * that session. Resolves to true if the request can be sent again: the same user has signed in
   * again, or the session was renewed.
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

/**
 * Whether a list of permissions grants a permission: by name, by `resource:*`, or by `*`. Every
 * permission for a resource, except customers:impersonate, also grants reading it.
 */
export function may(permissions: readonly string[], permission: string): boolean {
  const [resource = '', verb] = permission.split(':');
  const isOfResource = (grant: string) => grant.startsWith(`${resource}:`) && grant !== 'customers:impersonate';
  return (
    permissions.includes(permission) ||
    permissions.includes(`${resource}:*`) ||
    permissions.includes('*') ||
    (verb === 'read' && permissions.some(isOfResource))
  );
}
