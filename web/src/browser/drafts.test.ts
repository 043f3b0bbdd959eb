import { afterEach, expect, test, vi } from 'vitest';
import { DraftStore, ownerOf, type StoredDraft } from './drafts';

const owner = ownerOf('default', 7);
const tea = { owner, scope: 'items/TEA' };
const draft = (value: string, at = 1): StoredDraft => ({ title: 'TEA', page: '/items/TEA', at, value });
const storage = (key: string, newValue: string | null) => window.dispatchEvent(new StorageEvent('storage', { key, newValue }));

afterEach(() => void vi.useRealTimers());

test('a draft is restored in its tab and in others', () => {
  new DraftStore('a').store(tea, draft('mine'));
  expect(new DraftStore('a').open(tea)?.value).toBe('mine');
  expect(new DraftStore('b').open(tea)?.value).toBe('mine');
  expect(new DraftStore('b').open({ owner, scope: 'items/POT' })).toBeUndefined();
});

test('two tabs on one record have separate drafts', () => {
  const [a, b] = [new DraftStore('a'), new DraftStore('b')];
  expect(b.open(tea)).toBeUndefined();
  a.store(tea, draft('of a', 1));
  b.drop(tea);
  expect(new DraftStore('a').open(tea)?.value).toBe('of a');
  b.store(tea, draft('of b', 2));
  expect(new DraftStore('a').open(tea)?.value).toBe('of a');
  expect(new DraftStore('b').open(tea)?.value).toBe('of b');
  expect(a.list(owner).map(({ value }) => value)).toEqual(['of b']);
});

test('finishing a draft deletes the slot it came from', () => {
  new DraftStore('closed').store(tea, draft('mine'));
  const tab = new DraftStore('a');
  tab.open(tea);
  tab.drop(tea);
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('finishing after a reload deletes the source slots too', () => {
  new DraftStore('closed').store(tea, draft('mine', 1));
  const before = new DraftStore('b');
  before.open(tea);
  before.store(tea, draft('mine, and more', 2));
  const reloaded = new DraftStore('b');
  reloaded.open(tea);
  reloaded.store(tea, draft('mine, and still more', 3));
  reloaded.drop(tea);
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('finishing deletes the slots of all earlier tabs', () => {
  new DraftStore('a').store(tea, draft('mine', 1));
  ['b', 'c'].forEach((name, i) => {
    const tab = new DraftStore(name);
    tab.open(tea);
    tab.store(tea, draft(`mine in ${name}`, i + 2));
  });
  const last = new DraftStore('d');
  expect(last.open(tea)?.value).toBe('mine in c');
  last.drop(tea);
  expect(new DraftStore('e').open(tea)).toBeUndefined();
});

test('finishing preserves the separate draft of another tab', () => {
  new DraftStore('other').store(tea, draft('of another', 1));
  new DraftStore('closed').store(tea, draft('mine', 2));
  const tab = new DraftStore('b');
  tab.open(tea);
  tab.drop(tea);
  expect(new DraftStore('b').open(tea)?.value).toBe('of another');
});

test('a tab restores its slot after another deleted it', () => {
  vi.useFakeTimers();
  const [a, b] = [new DraftStore('a'), new DraftStore('b')];
  a.store(tea, draft('mine'));
  b.open(tea);
  b.drop(tea);
  storage(`interlock.draft/${owner}/a/items/TEA`, null);
  vi.advanceTimersByTime(2000);
  expect(new DraftStore('a').open(tea)?.value).toBe('mine');
});

test('signing out deletes the drafts of that user only', () => {
  const other = { owner: ownerOf('default', 8), scope: 'items/TEA' };
  const store = new DraftStore('a');
  store.store(tea, draft('mine'));
  store.store(other, draft('theirs'));
  store.clear(owner);
  expect(store.get(tea)).toBeUndefined();
  expect(new DraftStore('b').open(tea)).toBeUndefined();
  expect(new DraftStore('b').open(other)?.value).toBe('theirs');
});

test('drafts of tenants are separate, whatever the names', () => {
  new DraftStore('a').store({ owner: ownerOf('a/7', 7), scope: 'x' }, draft('mine'));
  expect(new DraftStore('a').list(ownerOf('a', 7))).toEqual([]);
});

test('without storage, drafts stay in this tab', () => {
  const store = new DraftStore('a');
  const full = () => {
    throw new DOMException('full', 'QuotaExceededError');
  };
  vi.stubGlobal('localStorage', { setItem: full });
  store.store(tea, draft('mine'));
  expect(store.isFull()).toBe(true);
  expect(store.get(tea)?.value).toBe('mine');
  vi.unstubAllGlobals();
  store.store(tea, draft('more'));
  expect(store.isFull()).toBe(false);
});

test('an unreadable draft is ignored', () => {
  localStorage.setItem(`interlock.draft/${owner}/a/items/TEA`, '{"half":');
  expect(new DraftStore('b').open(tea)).toBeUndefined();
});

test('secret drafts stay in memory and delete stored ones', () => {
  const tab = new DraftStore('a');
  const pin = { owner, scope: 'configs/pin' };
  const undo = { owner, scope: 'configs/pin/undo' };
  const nested = { owner, scope: 'configs/pins' };
  const unload = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const written = () => Object.values(localStorage).join();
  new DraftStore('closed').store(pin, draft('1234', 1));
  tab.open(pin);
  expect(unload()).toBe(true);
  tab.setSecret(pin, true);
  tab.store(pin, draft('12345', 2));
  tab.store(undo, draft('123', 3));
  tab.store(nested, draft('public', 4));
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

test('a secret draft is not restored after removal', () => {
  vi.useFakeTimers();
  const tab = new DraftStore('discreet');
  tab.setSecret(tea, true);
  tab.store(tea, draft('mine'));
  storage(`interlock.draft/${owner}/discreet/items/TEA`, null);
  vi.advanceTimersByTime(5000);
  expect(Object.values(localStorage)).toEqual([]);
  tab.setSecret(tea, false);
  tab.store(tea, draft('mine'));
  expect(new DraftStore('b').open(tea)?.value).toBe('mine');
});
