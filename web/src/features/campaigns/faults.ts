import { isProblem } from '@/api';
import { discountOf } from './discount';
import type { CampaignField, CampaignFields } from './fields';

/** What can be wrong with a field; each is the key of its text. */
export type Fault =
  'nameNeeded' | 'valueNeeded' | 'percentWrong' | 'minimumNeeded' | 'totalNeeded' | 'totalBelowIssued' | 'perUserNeeded' | 'timeNeeded' | 'endsBeforeItBegins';

export type Faults = Partial<Record<CampaignField, Fault>>;

/** The faults that can be told without asking the service. */
export function faultsOf(fields: CampaignFields, issued: number): Faults {
  const { name, discount, minimumAmount, total, perUser, validFrom, validTo } = fields;
  const faults: Faults = {};
  const { kind, value } = discountOf(discount);
  if (name.trim() === '') faults.name = 'nameNeeded';
  if (kind === 'percent' && !(value !== null && value >= 1 && value <= 100)) faults.discount = 'percentWrong';
  if (kind === 'amount' && !(value !== null && value >= 1)) faults.discount = 'valueNeeded';
  if (minimumAmount === null) faults.minimumAmount = 'minimumNeeded';
  if (total === null) faults.total = 'totalNeeded';
  else if (total < issued) faults.total = 'totalBelowIssued';
  if (perUser === null) faults.perUser = 'perUserNeeded';
  if (validFrom === null) faults.validFrom = 'timeNeeded';
  if (validTo === null) faults.validTo = 'timeNeeded';
  else if (validFrom !== null && validFrom >= validTo) faults.validTo = 'endsBeforeItBegins';
  return faults;
}

const byPointer: Readonly<Record<string, readonly [CampaignField, Fault]>> = {
  '/name': ['name', 'nameNeeded'],
  '/value': ['discount', 'percentWrong'],
  '/total': ['total', 'totalBelowIssued'],
  '/perUser': ['perUser', 'perUserNeeded'],
  '/validFrom': ['validFrom', 'timeNeeded'],
  '/validTo': ['validTo', 'endsBeforeItBegins'],
};

/** Whether a fault of this place of a request stands at an input. */
export const isTold = (pointer: string): boolean => byPointer[pointer] !== undefined;

/**
 * The faults that the service found: what two admins wrote may be right on each side
 * and wrong together, and coupons may be issued while a form is open.
 */
export function refusedFaults(error: unknown): Faults {
  if (!isProblem(error, 'validation_failed')) return {};
  return Object.fromEntries(error.fields.flatMap(({ pointer }) => (byPointer[pointer] === undefined ? [] : [byPointer[pointer]])));
}

export const isFaultless = (faults: Faults): boolean => Object.keys(faults).length === 0;
