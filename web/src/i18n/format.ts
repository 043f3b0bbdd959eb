import type { Language } from './catalogue';
import { defaultCurrency, useCurrency, type Currency } from './currency';
import { locales } from './interpolate';
import { useLanguage } from './language';
import { useTimeStyle } from './times';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export interface Format {
  number: (value: number | bigint) => string;
  /** Formats an amount in minor units of the service's currency: 6000 is ¥60.00 in CNY and ¥6,000 in JPY. */
  money: (minor: number) => string;
  /** Formats an amount for programs and inputs, without currency sign and grouping: 6000 is 60.00 in CNY. */
  plainMoney: (minor: number) => string;
  /** The number of minor-unit digits: 2 in CNY, none in JPY. */
  minorDigits: number;
  currencySign: string;
  /** Formats a difference with its sign: +100, −3, 0. `show` formats the number, for example as an amount. */
  signed: <N extends number | bigint>(change: N, show?: (value: N) => string) => string;
  date: (time: string | number | Date) => string;
  /** The zone of all displayed times: the browser's, or UTC if the user has chosen it. */
  zone: string;
  /** Formats date and time to the second, in `zone`. */
  dateTime: (time: string | number | Date) => string;
  time: (time: string | number | Date) => string;
  /** Formats a relative time, such as "12 s ago" or "yesterday", or a date if the time is more than a week away. */
  relative: (time: string | number | Date, now: number) => string;
  duration: (milliseconds: number) => string;
  list: (items: readonly string[]) => string;
  /** The name of a country (ISO 3166-1 alpha-2). */
  country: (code: string) => string;
}

const made = new Map<string, Format>();

/**
 * Returns the formatter for numbers, amounts and times. Formatters are cached: each table cell
 * requests one, and creating one needs 2 ms.
 */
export function formatFor(language: Language, currency = defaultCurrency, timeZone?: string): Format {
  const name = [language, currency.currency, currency.minorDigits, timeZone].join(' ');
  const known = made.get(name);
  if (known !== undefined) return known;
  const format = newFormat(language, currency, timeZone);
  made.set(name, format);
  return format;
}

function newFormat(language: Language, { currency, minorDigits }: Currency, timeZone: string | undefined): Format {
  const locale = locales[language];
  const number = new Intl.NumberFormat(locale);
  const money = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minorDigits,
    maximumFractionDigits: minorDigits,
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone });
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23', timeZone });
  const short = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const country = new Intl.DisplayNames(locale, { type: 'region' });

  const ago = (milliseconds: number): string | undefined => {
    const size = Math.abs(milliseconds);
    if (size < 5 * second) return language === 'zh' ? '刚刚' : 'just now';
    if (size < minute) return short.format(Math.trunc(milliseconds / second), 'second');
    if (size < hour) return short.format(Math.trunc(milliseconds / minute), 'minute');
    if (size < day) return short.format(Math.trunc(milliseconds / hour), 'hour');
    if (size < 7 * day) return short.format(Math.trunc(milliseconds / day), 'day');
    return undefined;
  };
  return {
    number: (value) => number.format(value),
    money: (minor) => money.format(minor / 10 ** minorDigits),
    plainMoney: (minor) => (minor / 10 ** minorDigits).toFixed(minorDigits),
    minorDigits,
    currencySign: money.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency,
    signed: (change, show = (value) => number.format(value)) => (change > 0 ? `+${show(change)}` : show(change).replace('-', '−')),
    zone: dateTime.resolvedOptions().timeZone,
    date: (value) => date.format(new Date(value)),
    dateTime: (value) => dateTime.format(new Date(value)),
    time: (value) => time.format(new Date(value)),
    relative: (value, now) => ago(new Date(value).getTime() - now) ?? date.format(new Date(value)),
    duration: (milliseconds) => duration(locale, milliseconds),
    list: (items) => list.format(items),
    country: (code) => country.of(code) ?? code,
  };
}

function duration(locale: string, milliseconds: number): string {
  const [value, unit] =
    milliseconds < second
      ? [milliseconds, 'millisecond']
      : milliseconds < minute
        ? [milliseconds / second, 'second']
        : milliseconds < hour
          ? [milliseconds / minute, 'minute']
          : [milliseconds / hour, 'hour'];
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && unit !== 'millisecond' ? 1 : 0,
  }).format(value);
}

export function useFormat(): Format {
  const { language } = useLanguage();
  const currency = useCurrency();
  const timeZone = useTimeStyle() === 'utc' ? 'UTC' : undefined;
  return formatFor(language, currency, timeZone);
}
