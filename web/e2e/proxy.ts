import { Agent, createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the proxy. */
export interface Passing {
  method: string;
  /** Includes the query. */
  path: string;
  /** The idempotency key, if any. */
  key: string | undefined;
}

/**
 * The treatment of a request.
 * - drop: it never reaches the service, and its connection is closed.
 * - lose: it is carried out, and the connection is closed before the reply.
 * - truncate: it is carried out, and the connection is closed in the middle of the reply.
 * - after: it is carried out, and the proxy replies with this status and its own body.
 * - instead: it never reaches the service; the proxy sends this reply.
 * - rewrite: the proxy changes the reply of the service.
 */
export type Fate = 'drop' | 'lose' | 'truncate' | { after: number } | { instead: number; body?: unknown } | { rewrite: (text: string) => string };

type Rule = (passing: Passing) => Fate | undefined | Promise<Fate | undefined>;

const ownWords = '<html><body><h1>Bad Gateway</h1></body></html>';

/**
 * A proxy between browser and service, like a load balancer, with faults on demand. Without a rule
 * it forwards everything, including streams.
 */
export class Proxy {
  readonly address: string;
  /** All requests since `reset`, in the order of their arrival. */
  readonly passed: Passing[] = [];
  /** The number of event streams that are open. */
  streams = 0;
  #rule: Rule = () => undefined;
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts a proxy in front of a service. */
  static async before(service: string): Promise<Proxy> {
    const agent = new Agent({ keepAlive: true });
    const server = createServer((incoming, outgoing) => void proxy.#handle(service, agent, incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new Proxy(server, agent);
    return proxy;
  }

  /** Deletes the rule and the record of requests. */
  reset(): void {
    this.mend();
    this.passed.length = 0;
  }

  stop(): void {
    this.cut();
    this.#agent.destroy();
    this.#server.close();
  }

  /** Sets the rule that decides the treatment of each request. */
  rule(rule: Rule): void {
    this.#rule = rule;
  }

  /** Removes the rule: everything passes. */
  mend(): void {
    this.#rule = () => undefined;
  }

  count(method: string, path: RegExp): number {
    return this.passed.filter((one) => one.method === method && path.test(one.path)).length;
  }

  /** The idempotency keys of the requests, without duplicates. */
  keys(path: RegExp): string[] {
    return [...new Set(this.passed.filter((one) => path.test(one.path)).flatMap(({ key }) => key ?? []))];
  }

  /** Closes every open connection, like a restart of the load balancer. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  async #handle(service: string, agent: Agent, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const passing = { method: incoming.method ?? '', path: incoming.url ?? '', key: incoming.headers['x-idempotency-key']?.toString() };
    this.passed.push(passing);
    const fate = await this.#rule(passing);
    if (fate === 'drop') {
      outgoing.destroy();
      return;
    }
    if (typeof fate === 'object' && 'instead' in fate) {
      answer(outgoing, fate.instead, fate.body);
      incoming.resume();
      return;
    }
    if (typeof fate === 'object' && 'rewrite' in fate) {
      const reply = await fetch(service + passing.path, { headers: { Accept: incoming.headers.accept ?? '' } });
      outgoing.writeHead(reply.status, { 'Content-Type': reply.headers.get('Content-Type') ?? 'text/html', 'Cache-Control': 'no-store' });
      outgoing.end(fate.rewrite(await reply.text()));
      return;
    }
    const isStream = passing.path.startsWith('/api/v1/events') || passing.path.startsWith('/api/v1/configs/watch');
    const onward = send(service + passing.path, { method: passing.method, headers: incoming.headers, agent }, (reply) => {
      if (fate === 'lose') {
        reply.resume();
        outgoing.destroy();
        return;
      }
      if (typeof fate === 'object') {
        reply.resume();
        answer(outgoing, fate.after);
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      if (fate === 'truncate') {
        reply.once('data', (bytes: Buffer) => outgoing.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => outgoing.destroy()));
        return;
      }
      if (isStream) {
        this.streams++;
        outgoing.once('close', () => this.streams--);
      }
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}

function answer(outgoing: ServerResponse, status: number, body?: unknown): void {
  outgoing.writeHead(status, { 'Content-Type': body === undefined ? 'text/html' : 'application/problem+json' });
  outgoing.end(body === undefined ? ownWords : JSON.stringify(body));
}

/** The reply of the service while the first attempt with a key is still running. */
export const inProgress = {
  instead: 409,
  body: {
    type: '/problems/request_in_progress',
    title: 'The first attempt is still running',
    status: 409,
    code: 'request_in_progress',
    detail: 'The first attempt with this key is still running; try again to be told its reply.',
    requestId: 'r-1',
    retryAfterMs: 100,
  },
} as const satisfies Fate;
