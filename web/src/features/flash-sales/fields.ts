import { useFormat, useText } from '@/i18n';
import { contentOfFields, fieldsOf, labelsOf, type FieldTexts, type Labels } from '@/ui';
import { saleMessages } from './messages';
import type { SaleStatus, SaleTerms } from './queries';
import type { Contents } from '@/features/descriptor';
import { saleResource } from './resource';

/** The editable members of a sale; null while an input is invalid. */
export type SaleFields = {
  name: string;
  sku: string;
  price: number | null;
  quantity: number | null;
  perUserLimit: number | null;
  /** A time with the browser's precision of milliseconds. A smaller difference is not an edit. */
  startsTime: string | null;
  endsTime: string | null;
  /** Null for no limit. */
  queueCap: number | null;
  /** Null for no limit. */
  rate: number | null;
  /** Null for the default. */
  replicas: number | null;
};

export type SaleField = keyof SaleFields;

export const saleFields: readonly SaleField[] = ['name', 'sku', 'price', 'quantity', 'perUserLimit', 'startsTime', 'endsTime', 'queueCap', 'rate', 'replicas'];

/** The fields that stay editable once the sale was opened; the quantity then only changes by a difference. */
export const editableWhenOpen: readonly SaleField[] = ['name', 'endsTime', 'queueCap', 'rate', 'replicas'];

const hour = 3_600_000;
const spelled = (time: string | number) => new Date(time).toISOString();

/** An empty sale that starts at the next full hour. */
export function blankSale(): SaleFields {
  const begins = Math.ceil(Date.now() / hour) * hour;
  return { ...nothing, perUserLimit: 1, startsTime: spelled(begins), endsTime: spelled(begins + hour) };
}

const nothing: SaleFields = {
  name: '',
  sku: '',
  price: null,
  quantity: null,
  perUserLimit: null,
  startsTime: null,
  endsTime: null,
  queueCap: null,
  rate: null,
  replicas: null,
};

export const formOf = fieldsOf(nothing);

export function readFields(terms: SaleTerms): SaleFields {
  const { name, sku, price, quantity, perUserLimit, startsTime, endsTime, queueCap = null, rate = null, replicas = null } = terms;
  return { name, sku, price, quantity, perUserLimit, startsTime: spelled(startsTime), endsTime: spelled(endsTime), queueCap, rate, replicas };
}

/** The request body for fields without faults. */
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

/** The possible faults of a field; each is the key of its text. */
type Fault =
  | 'nameNeeded'
  | 'skuNeeded'
  | 'priceNeeded'
  | 'quantityNeeded'
  | 'limitNeeded'
  | 'capWrong'
  | 'rateWrong'
  | 'replicasWrong'
  | 'timeNeeded'
  | 'endsBeforeItBegins';

export type Faults = Partial<Record<SaleField, Fault>>;

const maxRate = 100_000;
const maxReplicas = 10;

/** Returns the validation errors that the browser finds without the service. */
export function faultsOf(fields: SaleFields): Faults {
  const { name, sku, price, quantity, perUserLimit, startsTime, endsTime, queueCap, rate, replicas } = fields;
  const faults: Faults = {};
  if (name.trim() === '') faults.name = 'nameNeeded';
  if (sku.trim() === '') faults.sku = 'skuNeeded';
  if (price === null) faults.price = 'priceNeeded';
  if (quantity === null || quantity < 1) faults.quantity = 'quantityNeeded';
  if (perUserLimit === null || perUserLimit < 1) faults.perUserLimit = 'limitNeeded';
  if (queueCap !== null && queueCap < 1) faults.queueCap = 'capWrong';
  if (rate !== null && (rate < 1 || rate > maxRate)) faults.rate = 'rateWrong';
  if (replicas !== null && (replicas < 1 || replicas > maxReplicas)) faults.replicas = 'replicasWrong';
  if (startsTime === null) faults.startsTime = 'timeNeeded';
  if (endsTime === null) faults.endsTime = 'timeNeeded';
  else if (startsTime !== null && startsTime >= endsTime) faults.endsTime = 'endsBeforeItBegins';
  return faults;
}

export const isFaultless = (faults: Faults): boolean => Object.keys(faults).length === 0;

/** The labels and values of a sale's fields, including the status, which only appears in the history. */
export function useSaleLabels(): Labels {
  const t = useText(saleMessages);
  const { money, number, dateTime } = useFormat();
  const texts: FieldTexts<SaleFields & { status: SaleStatus }> = {
    name: { label: t('name'), show: (name) => name },
    sku: { label: t('item'), show: (sku) => sku },
    price: { label: t('price'), show: money },
    quantity: { label: t('quantity'), show: number },
    perUserLimit: { label: t('perUserLimit'), show: number },
    startsTime: { label: t('startsTime'), show: dateTime },
    endsTime: { label: t('endsTime'), show: dateTime },
    queueCap: { label: t('queueCap'), show: number },
    rate: { label: t('rate'), show: number },
    replicas: { label: t('replicas'), show: number },
    status: { label: t('status'), show: (status) => t(status) },
  };
  return labelsOf(texts);
}

/** The content in the audit log. */
export const saleContents: Contents = {
  noun: saleResource.noun,
  useLabels: useSaleLabels,
  read: (record) => contentOfFields(readFields(record as unknown as SaleTerms)),
};
