import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { expect, onTestFailed } from 'vitest';
import { admin } from './service';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const debians = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Debian's Chromium, which asks nothing of the outside. Pages live for seconds: to optimise their code costs more than it gives. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? debians.find((path) => existsSync(path)),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--js-flags=--no-opt --no-maglev',
    ],
  });
}

export interface Look {
  language: 'en' | 'zh';
  colours: 'light' | 'dark';
  width: 1280 | 390;
}

export const nameOf = ({ language, colours, width }: Look) => `${language}-${colours}-${width}`;

const sizeOf = (width: Look['width']) => ({ width, height: width === 390 ? 844 : 860 });

interface Inspection {
  violations: string[];
  /** By how many pixels the page is wider than the window. */
  overflow: number;
  colours: string;
}

/** The rules that look at colours, which are half of the time. */
const colourRules = ['color-contrast', 'link-in-text-block'];
/** Turning light or dark changes nothing that the other rules see. */
const ofColours: RunOptions = { runOnly: colourRules };
/** Another language changes nothing that the rules of colours see. */
const ofWords: RunOptions = { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) };

/** Runs in the page. Selectors are computed for what they refuse only, which halves the time. */
async function inspect(options: RunOptions): Promise<Inspection | 'axe is missing'> {
  const { axe: injected } = window as unknown as { axe?: { run: (options: RunOptions) => Promise<AxeResults> } };
  if (injected === undefined) return 'axe is missing';
  const { violations } = await injected.run({ resultTypes: ['violations'], ...options });
  const root = document.documentElement;
  return {
    violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`).join('\n  ')}`),
    overflow: root.scrollWidth - root.clientWidth,
    colours: root.dataset.mantineColorScheme ?? '',
  };
}

/** Says what every page of a browser showed when its test failed. */
async function tell(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 2000 })
      .catch((error: unknown) => String(error));
    console.error(`${page.url()}\n${text.replaceAll(/\n+/g, '\n')}`);
  }
}

/** Contexts whose visitors have left, one after the other, for those who come next. */
export type Idle = BrowserContext[];

/** Leaves nothing of who used a context but the program's files, which the next one need not load and compile. */
async function forget(context: BrowserContext, origin: string): Promise<void> {
  const [used, blank] = [context.pages(), await context.newPage()];
  await Promise.all(used.map((page) => page.close()));
  const session = await context.newCDPSession(blank);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'cookies,local_storage,indexeddb,cache_storage,service_workers' });
  await session.detach();
  await context.clearCookies();
  await context.clearPermissions();
}

/**
 * Opens a browser of somebody: its own cookies and storage. Whatever it asks of
 * another origin, or reports as an error, fails the test at `check` and at `close`.
 */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #faults: string[];
  readonly #leave: () => Promise<void>;

  private constructor(context: BrowserContext, page: Page, faults: string[], leave: () => Promise<void>) {
    this.context = context;
    this.page = page;
    this.#faults = faults;
    this.#leave = leave;
  }

  /** `also` are origins that it may ask too; with `idle` its context is taken from there, and goes back. */
  static async open(
    browser: Browser,
    address: string,
    look: Look = { language: 'en', colours: 'light', width: 1280 },
    also: readonly string[] = [],
    idle?: Idle,
  ): Promise<Visitor> {
    const context =
      idle?.pop() ??
      (await browser.newContext({
        baseURL: address,
        viewport: sizeOf(look.width),
        colorScheme: look.colours,
        locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
        timezoneId: 'Asia/Shanghai',
        reducedMotion: 'reduce',
      }));
    const faults: string[] = [];
    const page = context.pages()[0] ?? (await context.newPage());
    const onRequest = (request: Request) => {
      const isKnown = [address, 'blob:', ...also].some((origin) => request.url().startsWith(origin));
      if (!isKnown) faults.push(`a request left the origin: ${request.url()}`);
    };
    context.on('request', onRequest);
    const leave = async () => {
      if (idle === undefined) return context.close();
      await forget(context, address);
      context.off('request', onRequest);
      idle.push(context);
    };
    page.on('pageerror', (error) => faults.push(`an error was not caught: ${error.message}`));
    page.on('console', (message) => {
      // A refused request is reported by the browser too; the page deals with it.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(`the console says: ${message.text()}`);
    });
    // One that is opened for many tests has none of its own.
    if (expect.getState().currentTestName !== undefined) onTestFailed(() => tell(context));
    return new Visitor(context, page, faults, leave);
  }

  async signIn(credentials = admin, path = '/'): Promise<void> {
    await this.page.goto(path);
    await this.fillIn(credentials);
  }

  /** Fills the sign-in form that is open, and waits for the page behind it. */
  async fillIn(credentials: { username: string; password: string }): Promise<void> {
    await this.page.locator('input[name=username]').fill(credentials.username);
    await this.page.locator('input[name=password]').fill(credentials.password);
    await this.page.locator('button[type=submit]').click();
    await this.page.locator('#content').waitFor();
  }

  /** Opens a page and waits until it has what it asked for. */
  async visit(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settle();
  }

  /** Leads from the page that is open to another as a link does: what was open is gone by then. */
  async lead(path: string): Promise<void> {
    await this.#go('/nothing-is-here');
    // The search and the sheet of keys belong to no page.
    const dialog = this.page.getByRole('dialog');
    while (await dialog.first().isVisible()) {
      await this.page.keyboard.press('Escape');
      await dialog.first().waitFor({ state: 'hidden' });
    }
    await this.#go(path);
    await this.settle();
  }

  async #go(path: string): Promise<void> {
    await this.page.evaluate(async (to) => {
      const before = document.querySelector('h1');
      history.pushState({}, '', to);
      // One address that leads nowhere shows what another does.
      const until = performance.now() + 2000;
      while (before?.isConnected && performance.now() < until) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, path);
  }

  async settle(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    await this.page.evaluate(() => document.fonts.ready);
  }

  /** Turns what is open light or dark, as it turns when the system does. */
  async turn(colours: Look['colours']): Promise<void> {
    await this.page.emulateMedia({ colorScheme: colours });
    await this.page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, colours);
  }

  /** Has what is open speak another language, as it does when another tab chooses one. */
  async speak(language: Look['language']): Promise<void> {
    await this.page.evaluate(async (chosen) => {
      localStorage.setItem('interlock.language', chosen);
      window.dispatchEvent(new StorageEvent('storage', { key: 'interlock.language', newValue: chosen }));
      while (!document.documentElement.lang.startsWith(chosen)) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, language);
    await this.settle();
  }

  /** Makes the window as wide as that of a desk or of a phone. */
  async resize(width: Look['width']): Promise<void> {
    await this.page.setViewportSize(sizeOf(width));
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  }

  /** Fails on what axe finds, on a page wider than the window, and on any fault so far. */
  check(): Promise<void> {
    return this.#check({});
  }

  /** Fails on a page wider than the window. */
  async checkWidth(): Promise<void> {
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, `${this.page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
  }

  /** Does the same with what depends on colours, after `check` has passed and only they have changed. */
  checkColours(): Promise<void> {
    return this.#check(ofColours);
  }

  /** And with what depends on words, after only the language has changed. */
  checkWords(): Promise<void> {
    return this.#check(ofWords);
  }

  async #check(options: RunOptions): Promise<void> {
    let found = await this.page.evaluate(inspect, options);
    if (found === 'axe is missing') {
      // The content security policy forbids a script tag, and evaluate is beyond it.
      await this.page.evaluate(axe);
      found = await this.page.evaluate(inspect, options);
    }
    if (found === 'axe is missing') throw new Error('axe did not start');
    const where = `${this.page.url()}, ${found.colours}`;
    expect(found.violations, where).toEqual([]);
    expect(found.overflow, `${where} scrolls sideways`).toBeLessThanOrEqual(0);
    expect(this.#faults, where).toEqual([]);
  }

  /** Keeps a picture of what is open for people to look at, where INTERLOCK_PICTURES=keep asks for them; nothing compares it. */
  async shoot(name: string): Promise<void> {
    if (process.env.INTERLOCK_PICTURES !== 'keep') return;
    await this.page.screenshot({ path: new URL(`./report/${name}.png`, import.meta.url).pathname });
  }

  async close(): Promise<void> {
    await this.#leave();
    expect(this.#faults).toEqual([]);
  }
}
