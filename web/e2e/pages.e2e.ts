import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { launch, looks, nameOf, Visitor } from './browser';
import { apiOf, furtherPages } from './pages';
import { admin } from './service';

const address = inject('address');
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
  const request = await apiOf(address, admin);
  for (const { prepare } of furtherPages) await prepare?.(request);
});
afterAll(() => browser.close());

describe.each(looks)('in $language, $colours, at $width px', (look) => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await Visitor.open(browser, address, look);
  });
  afterAll(() => visitor.close());

  test('the sign-in page is right, and so is its refusal', async () => {
    const { page } = visitor;
    await visitor.visit('/');
    await visitor.check();
    await visitor.shoot(`sign-in-${nameOf(look)}`);
    await page.locator('input[name=username]').fill('nobody');
    await page.locator('input[name=password]').fill('wrong');
    await page.locator('button[type=submit]').click();
    await page.getByRole('alert').waitFor();
    await visitor.check();
  });

  test('every page of the navigation is right', async () => {
    await visitor.signIn();
    const paths = await navigation(visitor);
    expect(paths).toContain('/');
    for (const path of paths) {
      await visitor.visit(path);
      await visitor.check();
      await visitor.shoot(`${path === '/' ? 'dashboard' : path.slice(1).replaceAll('/', '-')}-${nameOf(look)}`);
    }
  });

  test.each(furtherPages)('$name is right', async ({ name, path, reach }) => {
    await visitor.visit(path);
    await reach?.(visitor.page);
    await visitor.settle();
    await visitor.check();
    await visitor.shoot(`${name}-${nameOf(look)}`);
  });
});

/** The addresses that the navigation offers; on phones it is in a drawer, which is looked at too. */
async function navigation(visitor: Visitor): Promise<string[]> {
  const { page } = visitor;
  const burger = page.getByRole('button', { expanded: false }).filter({ has: page.locator('path[d^="M4 7h16"]') });
  if (await burger.isVisible()) {
    await burger.click();
    await page.getByRole('dialog').waitFor();
    await visitor.check();
  }
  return page.locator('nav a:visible').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
}
