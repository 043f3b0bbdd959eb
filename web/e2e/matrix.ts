import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, nameOf, Visitor, type Look } from './browser';
import { addressOf, apiOf, furtherPages } from './pages';
import { admin, Service } from './service';

const opposite = { light: 'dark', dark: 'light', 390: 1280, 1280: 390 } as const;

/**
 * Declares that every page is right in one language, at both widths, light and dark.
 *
 * A state is reached anew for each language, at the width that is given, since what leads
 * to it is written otherwise and lies elsewhere. What is open then turns dark or light, as
 * it does when the system turns, and wide or narrow, as a phone does, and is inspected in
 * each of the four looks. Each state is opened in the scheme in which the one before it
 * was left, so that pages turn in both directions.
 *
 * Pages of the navigation are loaded cold; the states of the others are led to within the
 * page, as by a link, which an admin does all day.
 *
 * Each file that calls this has a service of its own and may run beside the other: two
 * visitors who bring about one state would disturb each other.
 */
export function everyPageIsRight({ language, width }: Pick<Look, 'language' | 'width'>): void {
  let browser: Browser;
  let service: Service;
  let visitor: Visitor;
  let colours: Look['colours'] = 'light';

  beforeAll(async () => {
    [browser, service] = await Promise.all([launch(), Service.start()]);
    const request = await apiOf(service.address, admin);
    for (const { prepare } of furtherPages) await prepare?.(request);
    visitor = await Visitor.open(browser, service.address, { language, width, colours });
  });
  afterAll(async () => {
    await visitor.close();
    await browser.close();
    await service.stop();
  });

  /** Inspects what is open in its four looks; it is left in the other scheme, at the width at which it was reached. */
  async function inspect(name: string): Promise<void> {
    await inspectNow(name, width);
    await visitor.resize(opposite[width]);
    await inspectNow(name, opposite[width]);
    colours = opposite[colours];
    await visitor.turn(colours);
    await inspectColours(name, opposite[width]);
    await visitor.resize(width);
    await inspectColours(name, width);
  }

  async function inspectNow(name: string, at: Look['width']): Promise<void> {
    await visitor.check();
    await visitor.shoot(`${name}-${nameOf({ language, colours, width: at })}`);
  }

  async function inspectColours(name: string, at: Look['width']): Promise<void> {
    await visitor.checkColours();
    await visitor.shoot(`${name}-${nameOf({ language, colours, width: at })}`);
  }

  /** How long one test may take that loads every page of the navigation cold, in ms: on a busy machine several seconds each. */
  const longVisit = 600_000;

  describe(`in ${language}, reached at ${width} px,`, () => {
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

    test('every page of the navigation is right', { timeout: longVisit }, async () => {
      await visitor.signIn();
      if (await openDrawer(visitor.page)) await inspect('navigation');
      const paths = await visitor.page.locator('nav a:visible').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
      expect(paths).toContain('/');
      // A menu may lead elsewhere, which is not ours to look at.
      for (const path of paths.filter((href) => href.startsWith('/'))) {
        await visitor.visit(path);
        await inspect(path === '/' ? 'dashboard' : path.slice(1).replaceAll(/[/?&=]/g, '-'));
      }
    });

    test.each(furtherPages)('$name is right', async ({ name, path, reach }) => {
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
