/** What the service says of a passkey that is to be made or used, and what it is answered. */
export type CreationOptions = Parameters<(typeof PublicKeyCredential)['parseCreationOptionsFromJSON']>[0];
export type RequestOptions = Parameters<(typeof PublicKeyCredential)['parseRequestOptionsFromJSON']>[0];
export type PasskeyAnswer = Record<string, unknown>;

/** Why a browser made or used no passkey: nobody confirmed it in time, the authenticator has one already, or anything else. */
export type PasskeyFailure = 'cancelled' | 'registered' | 'failed';

export class PasskeyError extends Error {
  readonly failure: PasskeyFailure;
  constructor(failure: PasskeyFailure, cause: unknown) {
    super(`no passkey: ${failure}`, { cause });
    this.failure = failure;
  }
}

/**
 * Whether this page can use the passkeys of a site: `elsewhere` when the site is at another host;
 * `atName` when the page only has to be opened by the name of this machine; `unset` when the
 * service knows of no other name than that, and is reached by one; `nowhere` when it has no host
 * with a name, and `old` when the browser cannot.
 */
export type PasskeyUse = 'here' | 'elsewhere' | 'atName' | 'unset' | 'nowhere' | 'old';

const ownMachine = new Set(['127.0.0.1', '[::1]']);

export function passkeyUse(site: string | null | undefined, page: Pick<Location, 'hostname'> = window.location): PasskeyUse {
  if (site === null || site === undefined) return 'nowhere';
  if (page.hostname !== site && site === 'localhost') return ownMachine.has(page.hostname) ? 'atName' : 'unset';
  if (page.hostname !== site) return 'elsewhere';
  if (!window.isSecureContext) return 'elsewhere';
  // What is looked for came last: Chromium 129, Firefox 119, Safari 18.4.
  return 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential ? 'here' : 'old';
}

/** A page has one question open at a time, and browsers refuse a second one: the newer one counts. */
let asking: AbortController | undefined;

/** Takes back what a person was asked for and has not answered. */
export function stopAsking(): void {
  asking?.abort();
  asking = undefined;
}

/** Asks the person at the page to make a passkey. What went wrong is thrown as a PasskeyError. */
export function createPasskey(options: CreationOptions): Promise<PasskeyAnswer> {
  return answered((signal) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal }));
}

/** Asks the person at the page to use a passkey. What went wrong is thrown as a PasskeyError. */
export function askForPasskey(options: RequestOptions): Promise<PasskeyAnswer> {
  return answered((signal) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), signal }));
}

async function answered(ask: (signal: AbortSignal) => Promise<Credential | null>): Promise<PasskeyAnswer> {
  stopAsking();
  const mine = new AbortController();
  asking = mine;
  try {
    const credential = await ask(mine.signal);
    if (!(credential instanceof PublicKeyCredential)) throw new TypeError('the browser answered with no passkey');
    return credential.toJSON() as PasskeyAnswer;
  } catch (error) {
    throw new PasskeyError(failureOf(error), error);
  } finally {
    if (asking === mine) asking = undefined;
  }
}

/** The names are those of WebAuthn Level 3, sections 5.1.3 and 5.1.4; browsers say no more, lest pages learn who has what. */
function failureOf(error: unknown): PasskeyFailure {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  return name === 'InvalidStateError' ? 'registered' : 'failed';
}
