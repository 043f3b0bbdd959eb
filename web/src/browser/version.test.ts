import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const assign = vi.fn();
const reload = vi.fn();

/** Loads the module as a page of a version does. */
async function page(build: string) {
  vi.resetModules();
  document.head.innerHTML = `<meta name="build" content="${build}" />`;
  return import('./version');
}

beforeEach(() => {
  assign.mockReset();
  reload.mockReset();
  vi.stubGlobal('location', { href: 'http://localhost/orders', reload, assign });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a page of a removed version reloads once', async () => {
  const { update } = await page('1');
  expect(update()).toBe(true);
  expect(reload).toHaveBeenCalledTimes(1);
  const again = await page('1');
  expect(again.update()).toBe(false);
  expect(again.wasUpdated()).toBe(false);
  expect(reload).toHaveBeenCalledTimes(1);
});

test('a page of a new version announces it once', async () => {
  (await page('1')).update();
  const { wasUpdated } = await page('2');
  expect(wasUpdated()).toBe(true);
  expect(wasUpdated()).toBe(false);
});

test('a page with unsaved state reloads only on request', async () => {
  const { followUpdates, update, updateNow } = await page('1');
  const { drafts } = await import('./drafts');
  vi.spyOn(drafts, 'hasSecrets').mockReturnValue(true);
  followUpdates();
  expect(window.dispatchEvent(new Event('vite:preloadError', { cancelable: true }))).toBe(true);
  expect(update('http://localhost/items')).toBe(false);
  expect([reload, assign].map((called) => called.mock.calls.length)).toEqual([0, 0]);
  updateNow();
  expect(reload).toHaveBeenCalledTimes(1);
});

test('several missing files reload the page once without errors', async () => {
  const { followUpdates } = await page('1');
  followUpdates();
  const missing = () => new Event('vite:preloadError', { cancelable: true });
  expect([missing(), missing()].map((event) => window.dispatchEvent(event))).toEqual([false, false]);
  expect(reload).toHaveBeenCalledTimes(1);
});

test('a reload is permitted again after a delay', async () => {
  vi.useFakeTimers();
  (await page('1')).update();
  vi.advanceTimersByTime(61_000);
  expect((await page('1')).update('http://localhost/items')).toBe(true);
  expect(assign).toHaveBeenCalledExactlyOnceWith('http://localhost/items');
});

test('the served page reveals a new version', async () => {
  const { checkForUpdate, version } = await page('1');
  const answer = vi.fn(() => Promise.resolve(new Response('<meta name="build" content="2" />')));
  vi.stubGlobal('fetch', answer);
  await checkForUpdate();
  expect(version.isOutdated()).toBe(true);

  const same = await page('2');
  await same.checkForUpdate();
  expect(same.version.isOutdated()).toBe(false);
  await same.checkForUpdate();
  expect(answer).toHaveBeenCalledTimes(2);
});
