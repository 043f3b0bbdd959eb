/** The service's options for creating or using a passkey, and the response of the authenticator. */
export type CreationOptions = Parameters<(typeof PublicKeyCredential)['parseCreationOptionsFromJSON']>[0];
export type RequestOptions = Parameters<(typeof PublicKeyCredential)['parseRequestOptionsFromJSON']>[0];
export type PasskeyAnswer = Record<string, unknown>;

/**
 * The reason why a passkey was not created or used: the user cancelled or did not confirm in time,
 * the authenticator already has a passkey, or another error.
 */
export type PasskeyFailure = 'cancelled' | 'registered' | 'failed';

export class PasskeyError extends Error {
  readonly failure: PasskeyFailure;
  constructor(failure: PasskeyFailure, cause: unknown) {
    super(`no passkey: ${failure}`, { cause });
    this.failure = failure;
  }
}

/**
 * Whether this page can use the passkeys of a relying party. `elsewhere`: the passkeys belong to
 * another host, or the page was not loaded over TLS. `atName`: the page must be opened as
 * localhost. `unset`: the service only has the host name localhost, but the page has another host.
 * `nowhere`: the service has no host name. `old`: the browser does not support passkeys.
 */
export type PasskeyUse = 'here' | 'elsewhere' | 'atName' | 'unset' | 'nowhere' | 'old';

const localHosts = new Set(['127.0.0.1', '[::1]']);

export function passkeyUse(site: string | null | undefined, page: Pick<Location, 'hostname'> = window.location): PasskeyUse {
  if (site === null || site === undefined) return 'nowhere';
  if (page.hostname !== site && site === 'localhost') return localHosts.has(page.hostname) ? 'atName' : 'unset';
  if (page.hostname !== site) return 'elsewhere';
  if (!window.isSecureContext) return 'elsewhere';
  // The check names the newest required function: Chromium 129, Firefox 119, Safari 18.4.
  return 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential ? 'here' : 'old';
}

/** Browsers allow one passkey prompt per page. A new prompt aborts the earlier one. */
let asking: AbortController | undefined;

/** Aborts the open passkey prompt. */
export function abortRequest(): void {
  asking?.abort();
  asking = undefined;
}

/** Prompts the user to create a passkey. Throws a PasskeyError. */
export function createPasskey(options: CreationOptions): Promise<PasskeyAnswer> {
  return answered((signal) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), signal }));
}

/** Prompts the user to use a passkey. Throws a PasskeyError. */
export function askForPasskey(options: RequestOptions): Promise<PasskeyAnswer> {
  return answered((signal) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), signal }));
}

async function answered(ask: (signal: AbortSignal) => Promise<Credential | null>): Promise<PasskeyAnswer> {
  abortRequest();
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

/**
 * Error names by WebAuthn Level 3, sections 5.1.3 and 5.1.4. Browsers hide further details, so that
 * pages cannot probe for accounts.
 */
function failureOf(error: unknown): PasskeyFailure {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  return name === 'InvalidStateError' ? 'registered' : 'failed';
}
