import { act, render, renderHook, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { describe, expect, test } from 'vitest';
import { catalogue, formatFor, LanguageProvider, useLanguage, useText, type Catalogue } from '.';

const messages = catalogue(
  {
    plain: 'Nothing waits',
    saved: '{who} saved v{version}',
    rows: '{n} row selected | {n} rows selected',
  },
  {
    plain: '没有待处理',
    saved: '{who} 保存了 v{version}',
    rows: '已选 {n} 行',
  },
);

const within = (language: 'en' | 'zh') =>
  function Within({ children }: { children: ReactNode }) {
    return <LanguageProvider initial={language}>{children}</LanguageProvider>;
  };

function texts(language: 'en' | 'zh') {
  return renderHook(() => useText(messages), { wrapper: within(language) }).result.current;
}

test('values fill placeholders, and numbers follow the language', () => {
  expect(texts('en')('plain')).toBe('Nothing waits');
  expect(texts('en')('saved', { who: 'Li', version: 1900 })).toBe('Li saved v1,900');
  expect(texts('zh')('saved', { who: '李娜', version: 19 })).toBe('李娜 保存了 v19');
});

test('the number decides the plural', () => {
  expect(texts('en')('rows', { n: 1 })).toBe('1 row selected');
  expect(texts('en')('rows', { n: 0 })).toBe('0 rows selected');
  expect(texts('zh')('rows', { n: 1 })).toBe('已选 1 行');
});

test('a value that contains a placeholder is not expanded', () => {
  expect(texts('en')('saved', { who: '{version}', version: 2 })).toBe('{version} saved v2');
});

test('placeholders can be elements', () => {
  const Sentence = () => useText(messages).rich('saved', { who: <b>Li</b>, version: 3 });
  render(<Sentence />, { wrapper: within('en') });
  expect(screen.getByText('Li').tagName).toBe('B');
  expect(document.body.textContent).toBe('Li saved v3');
});

test('the chosen language is stored and set on the document', () => {
  const { result } = renderHook(() => useLanguage(), { wrapper: within('en') });
  act(() => result.current.choose('zh'));
  expect(result.current.language).toBe('zh');
  expect(document.documentElement.lang).toBe('zh-CN');
  expect(localStorage.getItem('interlock.language')).toBe('zh');
});

test('a choice in another tab applies here', () => {
  const { result } = renderHook(() => useLanguage(), { wrapper: within('en') });
  localStorage.setItem('interlock.language', 'zh');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'interlock.colours' })));
  expect(result.current.language).toBe('en');
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'interlock.language' })));
  expect(result.current.language).toBe('zh');
});

describe('formats', () => {
  const en = formatFor('en');
  const now = Date.parse('2026-11-11T12:00:00Z');
  test('money is in minor units', () => {
    expect(en.money(6000)).toBe('¥60.00');
    expect(en.money(-199)).toBe('-¥1.99');
    expect(formatFor('zh').money(123456789)).toBe('¥1,234,567.89');
  });
  test.each([
    ['EUR', 2, '€60.00', '60.00'],
    ['JPY', 0, '¥6,000', '6000'],
    ['KWD', 3, 'KWD 6.000', '6.000'],
    // ICU has no decimals for these.
    ['IQD', 3, 'IQD 6.000', '6.000'],
    ['HUF', 2, 'Ft 60.00', '60.00'],
  ])('in %s with %i decimals, 6000 minor units are %s', (currency, minorDigits, shown, plain) => {
    const format = formatFor('en', { currency, minorDigits });
    expect(format.minorDigits).toBe(minorDigits);
    expect(format.money(6000).replace('\u00a0', ' ')).toBe(shown);
    expect(format.plainMoney(6000)).toBe(plain);
  });
  test.each([
    ['2026-11-11T11:59:58Z', 'just now'],
    ['2026-11-11T11:59:48Z', '12s ago'],
    ['2026-11-11T11:56:00Z', '4m ago'],
    ['2026-11-10T11:00:00Z', 'yesterday'],
    ['2026-11-11T12:10:00Z', 'in 10m'],
    ['2026-10-11T11:56:00Z', 'Oct 11, 2026'],
  ])('%s is %s', (time, text) => {
    expect(en.relative(time, now)).toBe(text);
  });
});

describe('catalogues have equal placeholders and no empty text', () => {
  const modules = import.meta.glob<Record<string, unknown>>('/src/**/messages.ts', { eager: true });
  const all = Object.entries(modules).flatMap(([file, module]) =>
    Object.entries(module)
      .filter((entry): entry is [string, Catalogue<Record<string, string>>] => isCatalogue(entry[1]))
      .map(([name, found]) => ({ name: `${file} ${name}`, found })),
  );
  test('at least one catalogue exists', () => expect(all.length).toBeGreaterThan(0));
  test.each(all)('$name', ({ found }) => {
    for (const [key, en] of Object.entries(found.en)) {
      const zh = found.zh[key] ?? '';
      expect(zh.trim(), key).not.toBe('');
      expect(places(zh), key).toEqual(places(en));
    }
  });
});

function isCatalogue(value: unknown): value is Catalogue<Record<string, string>> {
  return typeof value === 'object' && value !== null && 'en' in value && 'zh' in value;
}

function places(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}
