import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import type { FieldTexts } from '@/ui/edit/fields';
import { saleMessages } from './messages';
import type { SaleRevision, SaleTerms } from './queries';

/** What of a sale is edited in its form; what is being typed may be none. */
export type SaleFields = {
  name: string;
  sku: string;
  price: number | null;
  quantity: number | null;
  perUserLimit: number | null;
  /** To the millisecond, as the browser spells times: what it cannot spell is no edit. */
  startsTime: string | null;
  endsTime: string | null;
  /** Null for none. */
  queueCap: number | null;
  /** Null for none. */
  rate: number | null;
};

export type SaleField = keyof SaleFields;

/** What can still be edited once a sale was opened; its quantity only by a difference. */
export const editableWhenOpen: readonly SaleField[] = ['name', 'endsTime', 'queueCap', 'rate'];

const spelled = (time: string) => new Date(time).toISOString();

export function readFields(terms: SaleTerms): SaleFields {
  const { name, sku, price, quantity, perUserLimit, startsTime, endsTime, queueCap = null, rate = null } = terms;
  return { name, sku, price, quantity, perUserLimit, startsTime: spelled(startsTime), endsTime: spelled(endsTime), queueCap, rate };
}

/** The terms of fields without faults. */
export function termsOf(fields: SaleFields): SaleTerms {
  const { price, quantity, perUserLimit, startsTime, endsTime } = fields;
  return {
    ...fields,
    name: fields.name.trim(),
    sku: fields.sku.trim(),
    price: price ?? 0,
    quantity: quantity ?? 0,
    perUserLimit: perUserLimit ?? 0,
    startsTime: startsTime ?? '',
    endsTime: endsTime ?? '',
  };
}

/** What can be wrong with a field; each is the key of its text. */
export type Fault =
  | 'nameNeeded'
  | 'skuNeeded'
  | 'priceNeeded'
  | 'quantityNeeded'
  | 'limitNeeded'
  | 'capWrong'
  | 'rateWrong'
  | 'timeNeeded'
  | 'endsBeforeItBegins'
  | 'over'
  | 'fixed';

export type Faults = Partial<Record<SaleField, Fault>>;

const mostRate = 100_000;

/** The faults that can be told without asking the service. */
export function faultsOf(fields: SaleFields): Faults {
  const { name, sku, price, quantity, perUserLimit, startsTime, endsTime, queueCap, rate } = fields;
  const faults: Faults = {};
  if (name.trim() === '') faults.name = 'nameNeeded';
  if (sku.trim() === '') faults.sku = 'skuNeeded';
  if (price === null) faults.price = 'priceNeeded';
  if (quantity === null || quantity < 1) faults.quantity = 'quantityNeeded';
  if (perUserLimit === null || perUserLimit < 1) faults.perUserLimit = 'limitNeeded';
  if (queueCap !== null && queueCap < 1) faults.queueCap = 'capWrong';
  if (rate !== null && (rate < 1 || rate > mostRate)) faults.rate = 'rateWrong';
  if (startsTime === null) faults.startsTime = 'timeNeeded';
  if (endsTime === null) faults.endsTime = 'timeNeeded';
  else if (startsTime !== null && startsTime >= endsTime) faults.endsTime = 'endsBeforeItBegins';
  return faults;
}

const byPointer: Readonly<Record<string, Fault>> = {
  name: 'nameNeeded',
  sku: 'skuNeeded',
  price: 'priceNeeded',
  quantity: 'quantityNeeded',
  perUserLimit: 'limitNeeded',
  startsTime: 'timeNeeded',
  endsTime: 'endsBeforeItBegins',
  queueCap: 'capWrong',
  rate: 'rateWrong',
};

/** Whether a fault of this place of a request stands at one of the inputs that are shown. */
export const isTold =
  (shown?: readonly SaleField[]) =>
  (pointer: string): boolean => {
    const field = pointer.slice(1);
    return byPointer[field] !== undefined && (shown === undefined || shown.includes(field as SaleField));
  };

/** The faults that the service found: an item may be withdrawn while a form is open. */
export function refusedFaults(error: unknown): Faults {
  if (!isProblem(error, 'validation_failed')) return {};
  return Object.fromEntries(
    error.fields.flatMap(({ pointer, code }) => {
      const field = pointer.slice(1);
      const fault = code === 'fixed' || code === 'over' ? code : byPointer[field];
      return fault === undefined ? [] : [[field, fault]];
    }),
  );
}

export const isFaultless = (faults: Faults): boolean => Object.keys(faults).length === 0;

export function useSaleTexts(): FieldTexts<SaleFields> {
  const t = useText(saleMessages);
  const { money, number, dateTime } = useFormat();
  const show = <T>(value: T | null, format: (value: T) => string) => (value === null ? '' : format(value));
  return {
    name: { label: t('name'), show: ({ name }) => name },
    sku: { label: t('item'), show: ({ sku }) => sku },
    price: { label: t('price'), show: ({ price }) => show(price, money) },
    quantity: { label: t('quantity'), show: ({ quantity }) => show(quantity, number) },
    perUserLimit: { label: t('perUserLimit'), show: ({ perUserLimit }) => show(perUserLimit, number) },
    startsTime: { label: t('startsTime'), show: ({ startsTime }) => show(startsTime, dateTime) },
    endsTime: { label: t('endsTime'), show: ({ endsTime }) => show(endsTime, dateTime) },
    queueCap: { label: t('queueCap'), show: ({ queueCap }) => show(queueCap, number) },
    rate: { label: t('rate'), show: ({ rate }) => show(rate, number) },
  };
}

/** The same with the status, which no form edits, for the history. */
export function useRevisionTexts(): FieldTexts<SaleFields & { status: string }> {
  const t = useText(saleMessages);
  return { ...useSaleTexts(), status: { label: t('status'), show: ({ status }) => t(status as SaleRevision['status']) } };
}

export const readRevision = (revision: SaleRevision) => ({ ...readFields(revision), status: revision.status });
