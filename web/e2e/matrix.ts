import { readdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { Look, Visitor } from './browser';
import type { PageUnderTest } from './pages';
import { admin } from './service';
import { expect, serviceSite, test } from './site';

const folder = new URL('./pages/', import.meta.url);
const modules = await Promise.all(
  readdirSync(folder)
    .toSorted()
    .map(async (file) => ((await import(new URL(file, folder).href)) as { default: PageUnderTest | PageUnderTest[] }).default),
);

/** Two halves of the pages, about equally long. The pages of one file stay together, because they share data. */
const halves: readonly [PageUnderTest[], PageUnderTest[]] = [[], []];

for (const pages of modules.map((module) => [module].flat()).toSorted((a, b) => b.length - a.length)) {
  const [first, second] = halves;
  (second.length < first.length ? second : first).push(...pages);
}

/** The looks in which the states are reached, in turn. */
const looks: readonly [Look, Look] = [
  { language: 'en', colours: 'light', width: 390 },
  { language: 'zh', colours: 'dark', width: 1280 },
];

/**
 * Declares that a half of the pages is right. Each state is reached once and inspected by `Visitor.inspectBothLanguages`. The pages
 * of the navigation are loaded, and their contrast is checked; the test navigates to the other states without a load.
 *
 * Each half has a service and one visitor, because two visitors who reach one state would disturb each other.
 */
export function halfOfThePagesIsRight(half: 0 | 1): void {
  const pages = halves[half];
  let visitor: Visitor;
  // Hooks run in the order of their declaration: the visit ends before the service stops.
  test.afterAll(() => visitor.close());
  const site = serviceSite(async ({ request, asLi }) => {
    // The state `users-refused` needs an admin who is the only one.
    const { id } = await asLi<{ id: number }>('GET', '/me');
    await request('POST', `/users/${id}/disable`);
    for (const { prepare } of pages) await prepare?.(request);
    visitor = await site.enter('/', admin, { look: looks[half], spansTests: true });
  });

  test('the sign-in page and its error have no defects', async () => {
    const guest = await site.open({ look: looks[half] });
    await guest.visit('/');
    await guest.inspectBothLanguages('sign-in');
    await guest.page.locator('input[name=username]').fill('nobody');
    await guest.page.locator('input[name=password]').fill('wrong');
    await guest.page.locator('button[type=submit]').click();
    await guest.page.getByRole('alert').waitFor();
    await guest.inspectBothLanguages('sign-in-refused');
  });

  test('each page of the navigation has no defects', async () => {
    if (await openDrawer(visitor.page)) await visitor.inspectBothLanguages('navigation');
    const paths = await visitor.page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(paths).toContain('/');
    // A menu may lead to another site.
    const internal = [...new Set(paths)].filter((href) => href.startsWith('/')).toSorted();
    for (const path of internal.filter((_, i) => i % 2 === half)) {
      await visitor.visit(path);
      await visitor.inspectBothLanguages(path === '/' ? 'dashboard' : path.slice(1).replaceAll(/[/?&=]/g, '-'));
      await visitor.checkContrast();
    }
  });

  pages.forEach(({ name, path, reach }, i) => {
    test(`${name} has no defects`, async () => {
      await visitor.lead(typeof path === 'string' ? path : path(), looks[(half + i) % 2]);
      await reach?.(visitor.page);
      await visitor.settle();
      await visitor.inspectBothLanguages(name);
    });
  });
}

/** Opens the drawer that has the navigation on phones; reports whether there is one. */
async function openDrawer(page: Page): Promise<boolean> {
  const burger = page.getByRole('button', { expanded: false }).filter({ has: page.locator('path[d^="M4 7h16"]') });
  if (!(await burger.isVisible())) return false;
  await burger.click();
  await page.getByRole('dialog').waitFor();
  return true;
}
