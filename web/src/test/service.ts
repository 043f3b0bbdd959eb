/** A reply of the service in a test. */
export interface Canned {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export const problem = (status: number, code: string, members: Record<string, unknown> = {}): Canned => ({
  status,
  body: { type: `/problems/${code}`, title: code, status, code, detail: `It is ${code}.`, requestId: 'r-1', ...members },
  headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': 'r-1' },
});

/** A fake network: replies from a script, one reply per request, and records the requests. */
export class ScriptedService {
  readonly requests: Request[] = [];
  readonly #script: (Canned | Error)[];

  constructor(...script: (Canned | Error)[]) {
    this.#script = script;
  }

  readonly fetch = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    this.requests.push(request);
    const next = this.#script.shift();
    if (next === undefined) return Promise.reject(new Error(`${request.method} ${request.url} was not expected`));
    if (next instanceof Error) return Promise.reject(next);
    const text = next.body === undefined ? null : JSON.stringify(next.body);
    return Promise.resolve(new Response(text, { status: next.status, headers: { 'Content-Type': 'application/json', ...next.headers } }));
  };
}

export const session = (id = 7, csrfToken = 'token-1') => ({
  user: { id, username: `user${id}`, displayName: `User ${id}`, roles: ['admin'], permissions: ['*'], secondFactor: false },
  tenant: 'default',
  currency: 'CNY',
  minorDigits: 2,
  csrfToken,
});
