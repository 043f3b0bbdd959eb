import { describe, expect, test } from 'vitest';
import { exact, patchOf, threeWay, type JsonObject } from '@/merge';
import { discountOf, spellDiscount } from './discount';
import { faultsOf } from './faults';
import { patchOfTerms, readFields, termsOf, type CampaignFields } from './fields';
import { isComplete } from './IssueInputs';
import type { CampaignTerms } from './queries';
import { stateOf } from './state';

const terms: CampaignTerms = {
  name: 'Spring',
  kind: 'amount',
  value: 500,
  minimumAmount: 2000,
  total: 1000,
  perUser: 1,
  validFrom: '2026-03-01T00:00:00.000000Z',
  validTo: '2026-06-01T00:00:00.000000Z',
};
const fields = readFields(terms);
const json = (value: CampaignFields) => exact(value) as JsonObject;
const patch = (change: Partial<CampaignFields>) => patchOfTerms(patchOf(json(fields), json({ ...fields, ...change })));

describe('fields of a campaign', () => {
  test('only changed fields are sent, with kind and value together', () => {
    expect(patch({})).toEqual({});
    expect(patch({ total: 1200 })).toEqual({ total: 1200 });
    expect(patch({ discount: spellDiscount({ kind: 'percent', value: 20 }) })).toEqual({ kind: 'percent', value: 20 });
  });

  test('a time with microseconds is no edit', () => {
    expect(fields.validTo).toBe('2026-06-01T00:00:00.000Z');
    expect(termsOf(fields)).toMatchObject({ ...terms, validFrom: fields.validFrom, validTo: fields.validTo });
  });

  test('edits of discount kind and value conflict', () => {
    const yours = json({ ...fields, discount: spellDiscount({ kind: 'amount', value: 600 }) });
    const theirs = json(readFields({ ...terms, kind: 'percent', value: 20, total: 5 }));
    const merge = threeWay(json(fields), yours, theirs);
    expect(merge.conflicts.map(({ pointer }) => pointer)).toEqual(['/discount']);
    expect(merge.theirsOnly).toEqual(['/total']);
  });

  test('an incomplete discount has a kind and no value', () => {
    expect(discountOf(spellDiscount({ kind: 'percent', value: null }))).toEqual({ kind: 'percent', value: null });
    expect(discountOf('amount 500')).toEqual({ kind: 'amount', value: 500 });
  });
});

describe('violations of a campaign', () => {
  test.each<[string, Partial<CampaignFields>, ReturnType<typeof faultsOf>]>([
    ['a complete one has none', {}, {}],
    ['a blank name is missing', { name: '  ' }, { name: 'nameNeeded' }],
    ['a discount above 100 percent is rejected', { discount: 'percent 101' }, { discount: 'percentWrong' }],
    ['an amount has no such limit', { discount: 'amount 101' }, {}],
    ['an empty discount is missing', { discount: 'amount ' }, { discount: 'valueNeeded' }],
    ['a total below the issued ones is rejected', { total: 11 }, { total: 'totalBelowIssued' }],
    ['a total equal to the issued ones is valid', { total: 12 }, {}],
    ['the end must be after the start', { validTo: fields.validFrom }, { validTo: 'endsBeforeItBegins' }],
    ['times are required', { validFrom: null, validTo: null }, { validFrom: 'timeNeeded', validTo: 'timeNeeded' }],
  ])('%s', (_, change, faults) => expect(faultsOf({ ...fields, ...change }, 12)).toEqual(faults));
});

test.each<[string, string, ReturnType<typeof stateOf>]>([
  ['before its start', '2026-02-28T23:59:59Z', 'upcoming'],
  ['from its start', '2026-03-01T00:00:00Z', 'running'],
  ['from its end', '2026-06-01T00:00:00Z', 'over'],
])('%s a campaign follows the service clock', (_, now, state) => {
  expect(stateOf({ ...terms, issued: 0 }, Date.parse(now))).toBe(state);
  expect(stateOf({ ...terms, issued: 1000 }, Date.parse(now))).toBe(state === 'over' ? 'over' : 'exhausted');
});

test.each([
  [1, true],
  [1000, true],
  [0, false],
  [1001, false],
  [null, false],
])('%j coupons are a valid quantity: %j', (count, can) => expect(isComplete({ count })).toBe(can));
