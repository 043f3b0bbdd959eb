import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { LanguageProvider, type Language } from '@/i18n';
import { useRefusalText, useRuleText } from './said';

function inLanguage<T>(language: Language, use: () => T): T {
  const wrapper = ({ children }: { children: ReactNode }) => <LanguageProvider initial={language}>{children}</LanguageProvider>;
  return renderHook(use, { wrapper }).result.current;
}

const stale = { code: 'version_conflict', text: 'Config "a.b" was changed by Li since you read it; nothing of yours was applied.' };

test('in English the service is quoted', () => {
  expect(inLanguage('en', useRefusalText)(stale)).toBe(stale.text);
  expect(inLanguage('en', useRuleText)({ code: 'max', message: 'must have at most 500 characters' })).toBe('must have at most 500 characters');
});

test.each([
  [stale, '自你读取之后 Li 更改了 "a.b"；你的更改均未生效。'],
  [{ code: 'forbidden', text: 'This needs the permission configs:write, which you do not have.' }, '此操作需要权限 configs:write，而你没有。'],
  [{ code: 'not_found', text: 'There is no order "17".' }, '找不到 "17"。'],
  [{ code: 'not_found', text: 'Config "a.b" was deleted meanwhile.' }, '"a.b" 已被删除。'],
  [{ code: 'already_exists', text: 'There is an item "TEA" already.' }, '"TEA" 已存在。'],
  [{ code: 'status_changed', text: 'Order "20261121" cannot ship: it is cancelled since Li changed it.' }, 'Li 抢先更改了 "20261121"。'],
  [
    { code: 'insufficient_stock', text: '3 pieces of "TEA" are available and 5 are wanted; nothing was changed.' },
    '"TEA" 有货 3 件，需要 5 件；没有任何更改。',
  ],
  [{ code: 'unavailable', text: 'The queues cannot be read now. Try again.' }, '服务暂时不可用；没有任何更改。请重试。'],
])('a refusal is told in Chinese with the names that it has: $code', (said, expected) => {
  expect(inLanguage('zh', useRefusalText)(said)).toBe(expected);
});

test.each([
  ['max', 'must have at most 500 characters', '最多 500 个字符'],
  ['max', 'must be at most 100 percent', '最多 100%'],
  ['min', 'must be at least the 12 coupons already issued', '不能少于已发出的 12 张'],
  ['oneof', 'must be one of active, archived', '只能是 active, archived 之一'],
  ['range', 'must be a time in the years 1000 to 9999', '年份必须在 1000 到 9999 之间'],
  ['maximum', 'breaks its schema: maximum: got 10, want 9', '不符合 schema：10 大于最大值 9'],
])('a broken rule is told in Chinese with its limit: %s, %s', (code, message, expected) => {
  expect(inLanguage('zh', useRuleText)({ code, message })).toBe(expected);
});

test('what has no Chinese sentence is told as the service says it', () => {
  expect(inLanguage('zh', useRefusalText)({ code: 'limit_reached', text: 'Export them by prefix.' })).toBe('Export them by prefix.');
  expect(inLanguage('zh', useRefusalText)({ code: 'malformed_request', text: 'X must be one id.' })).toBe('X must be one id.');
  expect(inLanguage('zh', useRuleText)({ code: 'required', message: 'breaks its schema: missing property "size"' })).toBe(
    'breaks its schema: missing property "size"',
  );
  expect(inLanguage('zh', useRuleText)({ message: 'is odd' })).toBe('is odd');
});
