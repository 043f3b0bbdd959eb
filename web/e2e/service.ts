import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const binary = fileURLToPath(new URL('../../bin/admin', import.meta.url));
const patience = 20_000;

/** Who signs in first. */
export const admin = { username: 'admin', password: 'gravel-one-kettle' };

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the service under test is. */
    address: string;
  }
}

/** A service of its own, on SQLite in a folder that is removed when it stops. */
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

  /** Starts one on data of its own, with further settings of the environment. */
  static async start(settings: NodeJS.ProcessEnv = {}): Promise<Service> {
    if (!existsSync(binary)) throw new Error('bin/admin is missing: run `make build` first');
    const service = new Service(await mkdtemp(join(tmpdir(), 'interlock-e2e-')), await freePort(), settings);
    await service.run();
    return service;
  }

  /** Starts it, or starts it again on the same data and port. */
  async run(): Promise<void> {
    const log: string[] = [];
    const child = spawn(binary, ['serve', '--addr', `127.0.0.1:${this.#port}`], { env: this.#environment(), stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (text: Buffer) => log.push(text.toString()));
    child.stderr.on('data', (text: Buffer) => log.push(text.toString()));
    this.#process = child;
    const deadline = Date.now() + patience;
    while (Date.now() < deadline && child.exitCode === null) {
      if (await isReady(this.address)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    child.kill();
    throw new Error(`the service did not become ready:\n${log.join('')}`);
  }

  /** Stops it and keeps its data. */
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

  /** Runs a command of the binary beside the service and returns what it printed. */
  async command(...words: string[]): Promise<string> {
    const child = spawn(binary, words, { env: this.#environment(), stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    child.stdout.on('data', (text: Buffer) => printed.push(text.toString()));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`admin ${words.join(' ')} ended with ${String(code)}`);
    return printed.join('').trim();
  }

  #environment(): NodeJS.ProcessEnv {
    // All tests sign in from one address, some at once.
    const limits = { INTERLOCK_SIGN_IN_LIMIT: '0' };
    return { ...process.env, ...limits, INTERLOCK_DATA_DIR: this.#folder, INTERLOCK_ADMIN_PASSWORD: admin.password, ...this.#settings };
  }
}

/** Starts the service that the tests share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await Service.start();
  project.provide('address', service.address);
  return () => service.stop();
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/readyz`)).ok;
  } catch {
    return false;
  }
}

/**
 * Finds a port on which nobody listens, below those that the kernel gives to outgoing
 * links: a service that is down for a while finds it free when it comes back.
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
