import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Browser, type BrowserContext, type Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Credentials } from './pages';
import { admin } from './service';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Whether the nightly tier runs: every test, and every look of every state with all rules. */
export const isNightly = process.env.INTERLOCK_TEST_TIER === 'nightly';

export interface Look {
  language: 'en' | 'zh';
  colours: 'light' | 'dark';
  width: 1280 | 390;
}

const opposite = { light: 'dark', dark: 'light', 390: 1280, 1280: 390, en: 'zh', zh: 'en' } as const;

const sizeOf = (width: Look['width']) => ({ width, height: width === 390 ? 844 : 860 });

/** The rules about colours. The theme's unit test covers its colour pairs, so other states than base pages run them nightly. */
const colourRules = ['color-contrast', 'link-in-text-block'];
const structural: RunOptions = { rules: Object.fromEntries(colourRules.map((id) => [id, { enabled: false }])) };

/** Runs axe in the page; undefined where it is not injected. A report of violations only halves the time. */
async function violationsOf(options: RunOptions): Promise<string[] | undefined> {
  const { axe: injected } = window as unknown as { axe?: { run: (options: RunOptions) => Promise<AxeResults> } };
  if (injected === undefined) return undefined;
  const { violations } = await injected.run({ reporter: 'no-passes', resultTypes: ['violations'], ...options });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`).join('\n  ')}`);
}

/** Returns the labels of check boxes, radio buttons and switches that are above or below their controls. */
function labelsOffTheirControls(): string[] {
  const bodies = [...document.querySelectorAll('.mantine-Checkbox-body, .mantine-Radio-body, .mantine-Switch-body')];
  return bodies.flatMap((body) => {
    const label = body.querySelector('.mantine-Checkbox-label, .mantine-Radio-label, .mantine-Switch-label');
    const control = body.querySelector('.mantine-Checkbox-inner, .mantine-Radio-inner, .mantine-Switch-track');
    if (label === null || control === null || body.getClientRects().length === 0) return [];
    const [text, box] = [label.getBoundingClientRect(), control.getBoundingClientRect()];
    return text.top < box.bottom && box.top < text.bottom && (text.left >= box.right || text.right <= box.left) ? [] : [label.textContent];
  });
}

/** A document of the service that runs no script. */
const blank = '/healthz';

export interface Opening {
  look?: Look;
  /** Where the service or a proxy listens. */
  address: string;
  /** The tenant that the sign-in form suggests; undefined for the default tenant. */
  tenant?: string;
  /** Other origins that pages may request. */
  origins?: readonly string[];
  /** Opens a browser context that no other test uses. */
  isolated?: boolean;
  /** Blocks the event stream: the page learns of changes by others only from rejections. */
  withoutStream?: boolean;
  /** The caller, not the test, ends the visit. */
  spansTests?: boolean;
}

/** Visitors of earlier tests. Their HTTP cache and compiled scripts halve the cost of the first page. */
const idle: Visitor[] = [];

/**
 * A person at a browser, with separate cookies and storage. A request to another origin and an error that a page
 * reports fail the test at `check` and at `close`.
 */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The look of the open page. */
  look: Look;
  #opening: Opening;
  readonly #locale: Look['language'];
  readonly #faults: string[] = [];
  #isOpen = true;
  #hasCrashed = false;

  private constructor(page: Page, opening: Opening, look: Look) {
    this.context = page.context();
    this.page = page;
    this.look = look;
    this.#locale = look.language;
    this.#opening = opening;
    this.context.on('request', (request) => {
      const isAllowed = [this.#opening.address, 'blob:', ...(this.#opening.origins ?? [])].some((origin) => request.url().startsWith(origin));
      if (!isAllowed) this.#faults.push(`a request left the origin: ${request.url()}`);
    });
    page.on('crash', () => (this.#hasCrashed = true));
    page.on('pageerror', (error) => this.#faults.push(`uncaught error: ${error.message}`));
    page.on('console', (message) => {
      // The browser reports rejected requests too; the page handles them.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) this.#faults.push(`console error: ${message.text()}`);
    });
  }

  /** Opens a browser at a document of the origin that runs no script. */
  static async open(browser: Browser, opening: Opening): Promise<Visitor> {
    const look: Look = { language: 'en', colours: 'light', width: 1280, ...opening.look };
    const at = idle.findIndex((one) => one.context.browser() === browser && one.#opening.address === opening.address && one.#locale === look.language);
    const reused = opening.isolated || at < 0 ? undefined : idle.splice(at, 1)[0];
    const visitor = reused ?? (await Visitor.#create(browser, opening, look));
    const { page } = visitor;
    visitor.#opening = opening;
    visitor.#isOpen = true;
    visitor.look.language = look.language;
    if (look.width !== page.viewportSize()?.width) await visitor.resize(look.width);
    if (look.colours !== visitor.look.colours) await page.emulateMedia({ colorScheme: look.colours });
    visitor.look = look;
    await page.evaluate((tenant) => {
      localStorage.clear();
      sessionStorage.clear();
      if (tenant !== undefined) localStorage.setItem('interlock.tenant', tenant);
    }, opening.tenant);
    return visitor;
  }

  static async #create(browser: Browser, opening: Opening, look: Look): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: opening.address,
      viewport: sizeOf(look.width),
      colorScheme: look.colours,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    });
    const page = await context.newPage();
    await page.goto(blank);
    return new Visitor(page, opening, { ...look });
  }

  /** Signs in over the form. The form suggests the tenant that `open` was given. */
  async signIn(credentials: Credentials = admin, path = '/'): Promise<void> {
    await this.page.goto(path);
    await this.fillIn(credentials);
  }

  /** Fills the sign-in form that is open, and waits for the page behind it. */
  async fillIn(credentials: Credentials): Promise<void> {
    await this.page.locator('input[name=username]').fill(credentials.username);
    await this.page.locator('input[name=password]').fill(credentials.password);
    await this.page.locator('button[type=submit]').click();
    await this.page.locator('#content').waitFor();
  }

  /** Opens a page and waits until it shows its data. */
  async visit(path: string): Promise<void> {
    await this.page.goto(path);
    await this.settle();
  }

  /** Navigates to a page like a link, without a load, and sets the look. The page is mounted again. */
  async lead(path: string, look: Look = this.look): Promise<void> {
    await this.#go('/nothing-is-here');
    // The search and the list of keys belong to no page.
    const dialog = this.page.getByRole('dialog');
    while (await dialog.first().isVisible()) {
      await this.page.keyboard.press('Escape');
      await dialog.first().waitFor({ state: 'hidden' });
    }
    // An almost empty page changes its look at the least cost.
    if (look.language !== this.look.language) await this.speak(look.language);
    if (look.colours !== this.look.colours) await this.turn(look.colours);
    if (look.width !== this.look.width) await this.resize(look.width);
    await this.#go(path);
    await this.settle();
  }

  async #go(path: string): Promise<void> {
    await this.page.evaluate(async (to) => {
      const before = document.querySelector('h1');
      history.pushState({}, '', to);
      // Two unknown addresses show the same heading.
      const until = performance.now() + 2000;
      while (before?.isConnected && performance.now() < until) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, path);
  }

  async settle(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await this.page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    await this.page.evaluate(() => document.fonts.ready);
  }

  /** Waits for a few tasks and frames, in which the page would display received data. */
  async rest(): Promise<void> {
    await this.page.evaluate(() => new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 50)));
  }

  /** Changes the colour scheme of the system. */
  async turn(colours: Look['colours']): Promise<void> {
    await this.page.emulateMedia({ colorScheme: colours });
    await this.page.waitForFunction((scheme) => document.documentElement.dataset.mantineColorScheme === scheme, colours);
    this.look.colours = colours;
  }

  /** Changes the language, as another tab does. */
  async speak(language: Look['language']): Promise<void> {
    await this.page.evaluate(async (chosen) => {
      localStorage.setItem('interlock.language', chosen);
      window.dispatchEvent(new StorageEvent('storage', { key: 'interlock.language', newValue: chosen }));
      while (!document.documentElement.lang.startsWith(chosen)) await new Promise((resolve) => requestAnimationFrame(resolve));
    }, language);
    await this.settle();
    this.look.language = language;
  }

  /** Sets the width of the window to that of a desktop or of a phone. */
  async resize(width: Look['width']): Promise<void> {
    await this.page.setViewportSize(sizeOf(width));
    await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    this.look.width = width;
  }

  /**
   * Inspects the open state: its structure in the current look, and its layout at both widths. In the
   * nightly tier every rule inspects both widths in both colour schemes. The look is then as before.
   */
  async inspect(name: string): Promise<void> {
    await this.#inspect(name, isNightly ? ['width', 'colours', 'width'] : ['width']);
    await this.#change(isNightly ? 'colours' : 'width');
  }

  /** Inspects the open state in both languages too, and leaves it in the other language. */
  async inspectBothLanguages(name: string): Promise<void> {
    await this.#inspect(name, ['width', 'language', 'width', ...(isNightly ? (['colours', 'width', 'language', 'width', 'language'] as const) : [])]);
  }

  /** Inspects the open state, and again after each change of its look. */
  async #inspect(name: string, changes: readonly (keyof Look)[]): Promise<void> {
    if (!isNightly) await this.#check(structural);
    await this.check(name);
    for (const part of changes) {
      await this.#change(part);
      await (isNightly ? this.check() : this.checkLayout());
      await this.shoot(name);
    }
  }

  /** Changes one part of the look to its opposite. */
  async #change(part: keyof Look): Promise<void> {
    if (part === 'width') await this.resize(opposite[this.look.width]);
    else if (part === 'colours') await this.turn(opposite[this.look.colours]);
    else await this.speak(opposite[this.look.language]);
  }

  /** Fails on a wrong layout and on every fault so far. In the nightly tier axe runs all its rules, too. */
  async check(picture?: string): Promise<void> {
    if (isNightly) await this.#check({});
    await this.checkLayout();
    expect(this.#faults, this.#where()).toEqual([]);
    if (picture !== undefined) await this.shoot(picture);
  }

  /** Fails on text that the colour rules of axe find unreadable, light or dark. */
  async checkContrast(): Promise<void> {
    for (let schemes = 0; schemes < 2; schemes++) {
      await this.#change('colours');
      await this.#check({ runOnly: colourRules });
    }
  }

  /** Fails on a page that is wider than the window, and on a label that is not next to its control. */
  async checkLayout(): Promise<void> {
    const overflow = await this.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, `${this.#where()} overflows`).toBeLessThanOrEqual(0);
    expect(await this.page.evaluate(labelsOffTheirControls), `${this.#where()}: labels that are not beside their controls`).toEqual([]);
  }

  async #check(options: RunOptions): Promise<void> {
    let violations = await this.page.evaluate(violationsOf, options);
    if (violations === undefined) {
      // The content security policy blocks a script element, but not evaluate.
      await this.page.evaluate(axe);
      violations = await this.page.evaluate(violationsOf, options);
    }
    expect(violations, this.#where()).toEqual([]);
  }

  #where(): string {
    return `${this.page.url()}, ${Object.values(this.look).join('-')}`;
  }

  /** With INTERLOCK_PICTURES=keep, stores a picture of the open state in e2e/report; no test compares it. */
  async shoot(name: string): Promise<void> {
    if (process.env.INTERLOCK_PICTURES !== 'keep') return;
    const { language, colours, width } = this.look;
    await this.page.screenshot({ path: new URL(`./report/${name}-${language}-${colours}-${width}.png`, import.meta.url).pathname });
  }

  /** Ends the visit and fails on every fault so far. The browser stays open for a later test, unless it is isolated or has lost its page. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.context.unrouteAll({ behavior: 'ignoreErrors' });
    for (const page of this.context.pages()) if (page !== this.page) await page.close();
    if (this.#opening.isolated || this.#hasCrashed || this.page.isClosed()) {
      await this.context.close();
    } else {
      await this.page.unrouteAll({ behavior: 'ignoreErrors' });
      await this.page.goto(blank);
      await this.page.mouse.move(0, 0); // The pointer keeps its position across visits.
      await this.context.clearCookies();
      idle.push(this);
    }
    expect(this.#faults.splice(0)).toEqual([]);
  }

  /** Ends the visit without a check of the faults, which the test has caused. */
  async abandon(): Promise<void> {
    this.#isOpen = false;
    await this.context.close();
  }
}
