import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenIDProvider, { type Context } from 'oidc-provider';

const client = { id: 'interlock', secret: 'a secret that only the two know' };

/** A local single sign-on provider: a certified implementation that accepts any account name. */
export class Provider {
  readonly issuer: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Reserves an address, which the service needs before it starts. */
  static async listen(): Promise<Provider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Provider(server);
  }

  /** The setting for a service that lists the provider as `corp`. */
  get setting(): string {
    return JSON.stringify([{ name: 'corp', displayName: 'Corp', issuer: this.issuer, clientId: client.id, clientSecret: client.secret }]);
  }

  /** Starts to serve the service at an address. */
  serve(service: string): void {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const provider = new OpenIDProvider(this.issuer, {
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          redirect_uris: [`${service}/api/v1/session/oidc/corp/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      pkce: { required: () => true },
      cookies: { keys: [randomUUID()] },
      jwks: { keys: [{ ...key, kid: '1', use: 'sig', alg: 'RS256' }] },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      // The provider requests no consent.
      loadExistingGrant: async ({ oidc }: Context) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    this.#server.on('request', (request, response) => {
      const isQuestion = request.url?.startsWith('/interaction/') ?? false;
      void (isQuestion ? ask(provider, request, response) : answer(request, response));
    });
  }

  /** Stops accepting requests. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const form = `<!doctype html><html lang="en"><title>Corp</title><form method="post">
<label>Account <input name="login" autofocus></label><button name="do" value="login">Sign in at Corp</button><button name="do" value="cancel">Cancel</button></form></html>`;

/** Shows the account form and accepts any account. */
async function ask(provider: OpenIDProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(form);
    return;
  }
  let body = '';
  for await (const part of request) body += String(part);
  const said = new URLSearchParams(body);
  const login = { login: { accountId: said.get('login') ?? '' } };
  await provider.interactionFinished(request, response, said.get('do') === 'login' ? login : { error: 'access_denied' });
}
