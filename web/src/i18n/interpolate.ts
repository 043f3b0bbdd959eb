import type { Language } from './catalogue';

const separator = ' | ';

export const locales: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

const pluralRules: Readonly<Record<Language, Intl.PluralRules>> = { en: new Intl.PluralRules(locales.en), zh: new Intl.PluralRules(locales.zh) };

/** Selects the plural form for n; returns any other text unchanged. */
export function formOf(text: string, language: Language, n: unknown): string {
  const forms = text.split(separator);
  if (forms.length === 1) return text;
  const one = pluralRules[language].select(Number(n)) === 'one';
  return (one ? forms[0] : forms.at(-1)) ?? text;
}

/** Splits a text into its literal parts and the values of its placeholders, in order. */
export function piecesOf<T>(text: string, values: Readonly<Record<string, T>>): (string | T)[] {
  return text.split(/(\{\w+\})/).flatMap<string | T>((piece) => {
    if (piece === '') return [];
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    return name !== undefined && Object.hasOwn(values, name) ? [values[name] as T] : [piece];
  });
}
