import { discountOf } from './discount';
import type { CampaignField, CampaignFields } from './fields';

/** The possible faults of a field; each is the key of its text. */
type Fault =
  'nameNeeded' | 'valueNeeded' | 'percentWrong' | 'minimumNeeded' | 'totalNeeded' | 'totalBelowIssued' | 'perUserNeeded' | 'timeNeeded' | 'endsBeforeItBegins';

export type Faults = Partial<Record<CampaignField, Fault>>;

/** Returns the validation errors that the browser finds without the service. */
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

export const isFaultless = (faults: Faults): boolean => Object.keys(faults).length === 0;
