import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = fileURLToPath(new URL('../../bin/admin', import.meta.url));
/** How long a start may take, in ms. */
const startDeadline = 120_000;

/** The first user of every tenant. */
export const admin = { username: 'admin', password: 'gravel-one-kettle' };

/** A running binary on SQLite, in a folder that `stop` removes. */
export class Service {
  readonly address: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #settings: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, settings: NodeJS.ProcessEnv) {
    this.#settings = settings;
    this.#folder = folder;
    this.#port = port;
    this.address = `http://127.0.0.1:${port}`;
  }

  /** Starts a service on an empty folder, with additional environment variables. */
  static async start(settings: NodeJS.ProcessEnv = {}): Promise<Service> {
    if (!existsSync(binary)) throw new Error('bin/admin is missing: run `make build` first');
    const service = new Service(await mkdtemp(join(tmpdir(), 'interlock-e2e-')), await freePort(), settings);
    await service.run();
    return service;
  }

  /** Starts the process; after `pause`, on the same data and port. */
  async run(): Promise<void> {
    const log: string[] = [];
    const child = spawn(binary, ['serve', '--addr', `127.0.0.1:${this.#port}`], { env: this.#environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (text: Buffer) => log.push(text.toString()));
    child.stderr.on('data', (text: Buffer) => log.push(text.toString()));
    this.#process = child;
    const deadline = Date.now() + startDeadline;
    while (Date.now() < deadline && child.exitCode === null) {
      if (await isReady(this.address)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    child.kill();
    throw new Error(`the service did not become ready:\n${log.join('')}`);
  }

  /** Stops the process without deleting its data. */
  async pause(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async stop(): Promise<void> {
    await this.pause();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs a command of the binary on the data of the service and returns its output. */
  async command(...words: string[]): Promise<string> {
    const child = spawn(binary, words, { env: this.#environment(), stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    child.stdout.on('data', (text: Buffer) => printed.push(text.toString()));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`admin ${words.join(' ')} exited with ${String(code)}`);
    return printed.join('').trim();
  }

  /** Creates a tenant with the first user `admin`, and returns its name. */
  async createTenant(): Promise<string> {
    const name = `shop-${randomInt(1000, 10_000)}`;
    await this.command('tenant', 'create', name, '--admin-password', admin.password);
    return name;
  }

  #environment(): NodeJS.ProcessEnv {
    // All tests sign in from one address, some concurrently.
    const limits = { INTERLOCK_SIGN_IN_LIMIT: '0' };
    return { ...process.env, ...limits, INTERLOCK_DATA_DIR: this.#folder, INTERLOCK_ADMIN_PASSWORD: admin.password, ...this.#settings };
  }
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok;
  } catch {
    return false;
  }
}

/**
 * Finds a free port below the range from which the kernel assigns ports to outgoing connections, so that a service
 * that is paused finds it free again.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
