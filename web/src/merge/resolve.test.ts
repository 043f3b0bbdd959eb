import { describe, expect, test } from 'vitest';
import { encode, exact, type JsonObject } from '@/merge';
import { resolve, type Choices } from './resolve';

const object = (value: Record<string, unknown>) => exact(value) as JsonObject;
const base = object({ value: { timeout: 3000, retries: 2, methods: ['card'] }, remark: '' });
const theirs = object({ value: { timeout: 8000, retries: 2, methods: ['card', 'paypal'] }, remark: 'sale' });
const yours = object({ value: { timeout: 5000, retries: 3, methods: ['card', 'alipay'] }, remark: '' });
const timeout = '/value/timeout';
const saved = (choices: Choices, theirsNow = theirs) => {
  const { merged } = resolve(base, yours, theirsNow, choices);
  return merged === undefined ? undefined : (JSON.parse(encode(merged)) as unknown);
};

describe('resolving a conflict', () => {
  test('only contested fields need a choice, and lists merge as sets', () => {
    const { contested, sets, theirsOnly, yoursOnly, merged } = resolve(base, yours, theirs, {});
    expect(contested.map(({ pointer }) => pointer)).toEqual([timeout]);
    expect(sets.map(({ merged: list }) => list)).toEqual([['card', 'paypal', 'alipay']]);
    expect(theirsOnly).toEqual(['/remark']);
    expect(yoursOnly).toEqual(['/value/retries']);
    expect(merged).toBeUndefined();
  });

  test.each([
    [{ kind: 'yours' } as const, 5000],
    [{ kind: 'theirs', taken: 8000 } as const, 8000],
    [{ kind: 'other', value: 6000 } as const, 6000],
  ])('a choice of %o is saved with all other changes', (choice, expected) => {
    expect(saved({ [timeout]: choice })).toEqual({
      value: { timeout: expected, retries: 3, methods: ['card', 'paypal', 'alipay'] },
      remark: 'sale',
    });
  });

  test('choices survive a later change, but an outdated theirs is contested again', () => {
    const later = object({ value: { timeout: 9000, retries: 2, methods: ['card'] }, remark: 'again' });
    expect(saved({ [timeout]: { kind: 'yours' } }, later)).toMatchObject({ value: { timeout: 5000 }, remark: 'again' });
    expect(saved({ [timeout]: { kind: 'theirs', taken: 8000 } }, later)).toBeUndefined();
  });

  test('keeping yours applies your removal', () => {
    const without = object({ value: { retries: 2, methods: ['card'] }, remark: '' });
    const { merged } = resolve(base, without, theirs, { [timeout]: { kind: 'yours' } });
    expect(merged?.value).not.toHaveProperty('timeout');
  });

  test('a reordered list is one contested value', () => {
    const list = (...methods: string[]) => object({ value: methods });
    expect(resolve(list('a', 'b'), list('b', 'a'), list('a', 'b', 'c'), {}).contested).toHaveLength(1);
  });
});
