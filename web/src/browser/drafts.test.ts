import { afterEach, expect, test, vi } from 'vitest';
import { DraftStore, ownerOf, type StoredDraft } from './drafts';

const owner = ownerOf('default', 7);
const tea = { owner, scope: 'items/TEA' };
const kept = (value: string, at = 1): StoredDraft => ({ title: 'TEA', page: '/items/TEA', at, value });
const storage = (key: string, newValue: string | null) => window.dispatchEvent(new StorageEvent('storage', { key, newValue }));

afterEach(() => void vi.useRealTimers());

test('what was begun is found again by the same tab, and by another', () => {
  new DraftStore('a').keep(tea, kept('mine'));
  expect(new DraftStore('a').open(tea)?.value).toBe('mine');
  expect(new DraftStore('b').open(tea)?.value).toBe('mine');
  expect(new DraftStore('b').open({ owner, scope: 'items/POT' })).toBeUndefined();
});

test('two tabs on one record keep what each has, and a clean one deletes nothing', () => {
  const [a, b] = [new DraftStore('a'), new DraftStore('b')];
  expect(b.open(tea)).toBeUndefined();
  a.keep(tea, kept('of a', 1));
  b.drop(tea);
  expect(new DraftStore('a').open(tea)?.value).toBe('of a');
  b.keep(tea, kept('of b', 2));
  expect(new DraftStore('a').open(tea)?.value).toBe('of a');
  expect(new DraftStore('b').open(tea)?.value).toBe('of b');
  expect(a.list(owner).map(({ value }) => value)).toEqual(['of b']);
});

test('what is finished is gone from the tab that it came from too', () => {
  new DraftStore('closed').keep(tea, kept('mine'));
  const tab = new DraftStore('a');
  tab.open(tea);
  tab.drop(tea);
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('what is finished is gone from where it came from also after a reload in between', () => {
  new DraftStore('closed').keep(tea, kept('mine', 1));
  const before = new DraftStore('b');
  before.open(tea);
  before.keep(tea, kept('mine, and more', 2));
  const reloaded = new DraftStore('b');
  reloaded.open(tea);
  reloaded.keep(tea, kept('mine, and still more', 3));
  reloaded.drop(tea);
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('what went on from tab to tab is gone from all of them when it is finished', () => {
  new DraftStore('a').keep(tea, kept('mine', 1));
  ['b', 'c'].forEach((name, i) => {
    const tab = new DraftStore(name);
    tab.open(tea);
    tab.keep(tea, kept(`mine in ${name}`, i + 2));
  });
  const last = new DraftStore('d');
  expect(last.open(tea)?.value).toBe('mine in c');
  last.drop(tea);
  expect(new DraftStore('e').open(tea)).toBeUndefined();
});

test('what another tab has of its own stays when this one is finished', () => {
  new DraftStore('other').keep(tea, kept('of another', 1));
  new DraftStore('closed').keep(tea, kept('mine', 2));
  const tab = new DraftStore('b');
  tab.open(tea);
  tab.drop(tea);
  expect(new DraftStore('b').open(tea)?.value).toBe('of another');
});

test('a tab that is still typing writes again what another took for finished', () => {
  vi.useFakeTimers();
  const [a, b] = [new DraftStore('a'), new DraftStore('b')];
  a.keep(tea, kept('mine'));
  b.open(tea);
  b.drop(tea);
  storage(`interlock.draft/${owner}/a/items/TEA`, null);
  vi.advanceTimersByTime(2000);
  expect(new DraftStore('a').open(tea)?.value).toBe('mine');
});

test('signing out removes all of one and nothing of another', () => {
  const other = { owner: ownerOf('default', 8), scope: 'items/TEA' };
  const store = new DraftStore('a');
  store.keep(tea, kept('mine'));
  store.keep(other, kept('theirs'));
  store.clear(owner);
  expect(store.get(tea)).toBeUndefined();
  expect(new DraftStore('b').open(tea)).toBeUndefined();
  expect(new DraftStore('b').open(other)?.value).toBe('theirs');
});

test('the drafts of one tenant are not those of another, whatever its name', () => {
  new DraftStore('a').keep({ owner: ownerOf('a/7', 7), scope: 'x' }, kept('mine'));
  expect(new DraftStore('a').list(ownerOf('a', 7))).toEqual([]);
});

test('a browser without room says so, keeps what is typed in this tab, and says when there is room again', () => {
  const store = new DraftStore('a');
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { setItem: full });
  store.keep(tea, kept('mine'));
  expect(store.isFull()).toBe(true);
  expect(store.get(tea)?.value).toBe('mine');
  vi.unstubAllGlobals();
  store.keep(tea, kept('more'));
  expect(store.isFull()).toBe(false);
});

test('what cannot be read is no draft', () => {
  localStorage.setItem(`interlock.draft/${owner}/a/items/TEA`, '{"half":');
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('what is secret is held by this tab and written nowhere, and what was written of it is removed', () => {
  const tab = new DraftStore('a');
  const pin = { owner, scope: 'configs/pin' };
  const undo = { owner, scope: 'configs/pin/undo' };
  const beside = { owner, scope: 'configs/pins' };
  const unload = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const written = () => Object.values(localStorage).join();
  new DraftStore('closed').keep(pin, kept('1234', 1));
  tab.open(pin);
  expect(unload()).toBe(true);
  tab.conceal(pin, true);
  tab.keep(pin, kept('12345', 2));
  tab.keep(undo, kept('123', 3));
  tab.keep(beside, kept('public', 4));
  expect(written()).not.toContain('123');
  expect(written()).toContain('public');
  expect(tab.open(pin)?.value).toBe('12345');
  expect(tab.list(owner).map(({ scope }) => scope)).toEqual(['configs/pins', 'configs/pin/undo', 'configs/pin']);
  expect(unload()).toBe(false);
  expect(new DraftStore('a').open(pin)).toBeUndefined();
  tab.drop(pin);
  tab.remove(undo);
  expect(tab.list(owner).map(({ scope }) => scope)).toEqual(['configs/pins']);
  expect(unload()).toBe(true);
});

test('what is secret is not written again when another tab removes it, and is once it is secret no more', () => {
  vi.useFakeTimers();
  const tab = new DraftStore('discreet');
  tab.conceal(tea, true);
  tab.keep(tea, kept('mine'));
  storage(`interlock.draft/${owner}/discreet/items/TEA`, null);
  vi.advanceTimersByTime(5000);
  expect(Object.values(localStorage)).toEqual([]);
  tab.conceal(tea, false);
  tab.keep(tea, kept('mine'));
  expect(new DraftStore('b').open(tea)?.value).toBe('mine');
});
