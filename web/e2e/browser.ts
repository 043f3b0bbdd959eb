import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
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

/** The rules that look at colours. Turning light or dark changes nothing that the others see. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Runs in the page; all rules run where none are named. Selectors are computed for what they refuse only, which halves the time. */
async function inspect(rules?: string[]): Promise<Inspection | 'axe is missing'> {
  const { axe: injected } = window as unknown as { axe?: { run: (options: RunOptions) => Promise<AxeResults> } };
  if (injected === undefined) return 'axe is missing';
  const { violations } = await injected.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
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

/**
 * Opens a browser of somebody: its own cookies and storage. Whatever it asks of
 * another origin, or reports as an error, fails the test at `check` and at `close`.
 */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #faults: string[];

  private constructor(context: BrowserContext, page: Page, faults: string[]) {
    this.context = context;
    this.page = page;
    this.#faults = faults;
  }

  /** `also` are origins that it may ask too. */
  static async open(
    browser: Browser,
    address: string,
    look: Look = { language: 'en', colours: 'light', width: 1280 },
    also: readonly string[] = [],
  ): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: address,
      viewport: sizeOf(look.width),
      colorScheme: look.colours,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
      timezoneId: 'Asia/Shanghai',
      reducedMotion: 'reduce',
    });
    const faults: string[] = [];
    const page = await context.newPage();
    context.on('request', (request) => {
      const isKnown = [address, 'blob:', ...also].some((origin) => request.url().startsWith(origin));
      if (!isKnown) faults.push(`a request left the origin: ${request.url()}`);
    });
    page.on('pageerror', (error) => faults.push(`an error was not caught: ${error.message}`));
    page.on('console', (message) => {
      // A refused request is reported by the browser too; the page deals with it.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(`the console says: ${message.text()}`);
    });
    // One that is opened for many tests has none of its own.
    if (expect.getState().currentTestName !== undefined) onTestFailed(() => tell(context));
    return new Visitor(context, page, faults);
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

  /** Waits until the page would have shown what it has read: a few tasks and frames. */
  async rest(): Promise<void> {
    await this.page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 50)));
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
    return this.#check();
  }

  /** Fails on a page wider than the window. */
  async checkWidth(): Promise<void> {
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, `${this.page.url()} scrolls sideways`).toBeLessThanOrEqual(0);
  }

  /** Does the same with what depends on colours, after `check` has passed and only they have changed. */
  checkColours(): Promise<void> {
    return this.#check(colourRules);
  }

  async #check(rules?: string[]): Promise<void> {
    let found = await this.page.evaluate(inspect, rules);
    if (found === 'axe is missing') {
      // The content security policy forbids a script tag, and evaluate is beyond it.
      await this.page.evaluate(axe);
      found = await this.page.evaluate(inspect, rules);
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
    await this.context.close();
    expect(this.#faults).toEqual([]);
  }
}
