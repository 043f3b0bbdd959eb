import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, nameOf, Visitor, type Look } from './browser';
import { addressOf, apiOf, halves } from './pages';
import { admin, Service } from './service';

const opposite = { light: 'dark', dark: 'light', 390: 1280, 1280: 390, en: 'zh', zh: 'en' } as const;

/**
 * Declares that a half of the pages is right in both languages, at both widths, light and dark.
 *
 * A state is reached once. What is open then turns wide or narrow, as a phone does, dark or
 * light, as it does when the system turns, and into the other language, as it does when another
 * tab chooses it, and is inspected each time for what that can break. It is left in the other look:
 * so one state is reached in English, light and on a phone, and the next in Chinese, dark and
 * at a desk.
 *
 * Pages of the navigation are loaded cold; the states of the others are led to within the
 * page, as by a link, which an admin does all day.
 *
 * Each file that calls this has a service of its own and may run beside the other: two
 * visitors who bring about one state would disturb each other.
 */
export function halfOfThePagesIsRight(half: 0 | 1): void {
  const pages = halves[half];
  const look: Look = half === 0 ? { language: 'en', colours: 'light', width: 390 } : { language: 'zh', colours: 'dark', width: 1280 };
  let browser: Browser;
  let service: Service;
  let visitor: Visitor;

  beforeAll(async () => {
    [browser, service] = await Promise.all([launch(), Service.start()]);
    const request = await apiOf(service.address, admin);
    for (const { prepare } of pages) await prepare?.(request);
    visitor = await Visitor.open(browser, service.address, look);
  });
  afterAll(async () => {
    await visitor.close();
    await browser.close();
    await service.stop();
  });

  /** Inspects what is open in each look, and leaves it in the opposite of the one in which it was reached. */
  async function inspect(name: string): Promise<void> {
    const shoot = () => visitor.shoot(`${name}-${nameOf(look)}`);
    const resize = async () => {
      look.width = opposite[look.width];
      await visitor.resize(look.width);
    };
    await visitor.check();
    await shoot();
    await resize();
    await visitor.check();
    await shoot();

    look.colours = opposite[look.colours];
    await visitor.turn(look.colours);
    await visitor.checkColours();
    await shoot();
    await resize();
    await visitor.checkColours();
    await shoot();

    look.language = opposite[look.language];
    await visitor.speak(look.language);
    await visitor.check();
    await shoot();
    await resize();
    await visitor.checkWidth();
    await shoot();
  }

  /** How long one test may take that loads half of the navigation's pages cold, in ms: on a busy machine several seconds each. */
  const longVisit = 600_000;

  describe(`in half ${half + 1} of the pages`, () => {
    test('the sign-in page is right, and so is its refusal', async () => {
      const { page } = visitor;
      await visitor.visit('/');
      await inspect('sign-in');
      await page.locator('input[name=username]').fill('nobody');
      await page.locator('input[name=password]').fill('wrong');
      await page.locator('button[type=submit]').click();
      await page.getByRole('alert').waitFor();
      await inspect('sign-in-refused');
    });

    test('each page of the navigation is right', { timeout: longVisit }, async () => {
      await visitor.signIn();
      if (await openDrawer(visitor.page)) await inspect('navigation');
      const links = visitor.page.locator('nav a');
      const paths = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
      expect(paths).toContain('/');
      // A menu may lead elsewhere, which is not ours to look at.
      const ours = [...new Set(paths)].filter((href) => href.startsWith('/')).toSorted();
      for (const path of ours.filter((_, i) => i % 2 === half)) {
        await visitor.visit(path);
        await inspect(path === '/' ? 'dashboard' : path.slice(1).replaceAll(/[/?&=]/g, '-'));
      }
    });

    test.each(pages)('$name is right', async ({ name, path, reach }) => {
      await visitor.lead(addressOf(path));
      await reach?.(visitor.page);
      await visitor.settle();
      await inspect(name);
    });
  });
}

/** On phones the navigation is in a drawer, which is opened; tells whether there is one. */
async function openDrawer(page: Page): Promise<boolean> {
  const burger = page.getByRole('button', { expanded: false }).filter({ has: page.locator('path[d^="M4 7h16"]') });
  if (!(await burger.isVisible())) return false;
  await burger.click();
  await page.getByRole('dialog').waitFor();
  return true;
}
