import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { parse } from '@/merge';
import { Surroundings } from '@/test/render';
import type { ApprovalRead } from './queries';
import { useFullTitle } from './useTitle';

const config = (value: string) => ({ value: parse(value), valueType: 'json', remark: '', protected: true, etag: 'x', version: 3 });
const edit = (base: unknown, proposed: unknown, members: object = {}) =>
  ({
    kind: 'config.update',
    resource: 'configs/checkout.retries',
    targetCount: 1,
    sides: [{ resource: 'configs/checkout.retries', base, proposed, current: base }],
    ...members,
  }) as ApprovalRead;

test.each([
  ['a higher number', edit(config('3'), config('5')), 'Raise checkout.retries from 3 to 5'],
  ['a lower number', edit(config('3'), config('2.50')), 'Lower checkout.retries from 3 to 2.50'],
  ['a text', edit(config('"a"'), config('"b"')), 'Change checkout.retries from a to b'],
  ['several fields', edit(config('3'), { ...config('5'), remark: 'more' }), 'Change checkout.retries'],
  ['an unreadable change', edit(null, null, { sides: undefined }), 'Change checkout.retries'],
  [
    'an entry',
    edit(
      { balance: 1000 },
      { balance: 400 },
      {
        kind: 'wallet.entry',
        resource: 'wallets/li',
        sides: [{ resource: 'wallets/li', base: { balance: 1000 }, proposed: { balance: 400 }, current: { balance: 1000 } }],
      },
    ),
    'Debit ¥6.00 from the wallet of li',
  ],
  ['many configs', edit(null, null, { kind: 'config.batch', resource: 'configs', targetCount: 3, sides: [] }), 'Change 3 configs'],
])('the title of %s', (_, approval, title) => {
  const { result } = renderHook(() => useFullTitle(approval), { wrapper: Surroundings });
  expect(result.current).toBe(title);
});
