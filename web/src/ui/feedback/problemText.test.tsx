import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { ApiProblem } from '@/api';
import { LanguageProvider, type Language } from '@/i18n';
import { useProblemText, useRejectionText, useRuleText } from './problemText';

function inLanguage<T>(language: Language, use: () => T): T {
  const wrapper = ({ children }: { children: ReactNode }) => <LanguageProvider initial={language}>{children}</LanguageProvider>;
  return renderHook(use, { wrapper }).result.current;
}

const stale = { code: 'version_conflict', text: 'Config "a.b" was changed by Li since you read it; nothing of yours was applied.' };

test('English shows the detail of the service', () => {
  expect(inLanguage('en', useRejectionText)(stale)).toBe(stale.text);
  expect(inLanguage('en', useRuleText)({ code: 'max', message: 'must have at most 500 characters' })).toBe('must have at most 500 characters');
});

test.each([
  [{ ...stale, members: { updatedBy: { id: 2, name: 'Li' } } }, '自你读取之后 Li 更改了该记录；你的更改均未生效。'],
  [stale, '读取之后记录已被更改；你的更改均未生效。'],
  [{ code: 'status_changed', text: 'Order cannot ship.', members: { changedBy: { id: 2, name: 'Li' } } }, 'Li 已抢先更改，你的操作未执行。'],
  [
    { code: 'insufficient_stock', text: '3 pieces of …', members: { lines: [{ sku: 'TEA', available: 3, wanted: 5 }] } },
    'TEA 有货 3 件，需要 5 件；没有任何更改。',
  ],
  [{ code: 'insufficient_balance', text: '…', members: { balance: 500, wanted: 1990 } }, '余额为 ¥5.00，需要 ¥19.90；没有任何更改。'],
  [
    { code: 'in_use', text: '…', members: { owner: { value: { manager: 'git:main' }, remark: { manager: 'git:main' } } } },
    '这些字段由 git:main 管理；没有任何更改。请在其来源中更改，或打开该配置接管这些字段。',
  ],
  [{ code: 'in_use', text: '…' }, '该记录仍在使用中，不能删除。'],
])('Chinese describes a rejection by its code and fields: %j', (said, expected) => {
  expect(inLanguage('zh', useRejectionText)(said)).toBe(expected);
});

test('a detail in another language is never shown', () => {
  const rule = inLanguage('zh', useRuleText);
  for (const code of ['max', 'minimum', 'a_rule_of_tomorrow', undefined])
    expect(rule({ code, message: 'must be something else' }).replace('schema', '')).not.toMatch(/[A-Za-z]{3}/);
});

test('an error of a proxy does not claim that nothing changed', () => {
  const between = new ApiProblem({ code: 'bad_gateway', title: '', detail: 'HTTP 502', status: 502, requestId: '' });
  for (const language of ['en', 'zh'] as const) {
    const text = inLanguage(language, useProblemText)(between);
    expect(text).toContain('502');
    expect(text).not.toMatch(/nothing was changed|没有任何更改/i);
  }
});
