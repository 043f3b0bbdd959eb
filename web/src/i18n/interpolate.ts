import type { Language } from './catalogue';

const separator = ' | ';

export const locales: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

const pluralRules: Readonly<Record<Language, Intl.PluralRules>> = { en: new Intl.PluralRules(locales.en), zh: new Intl.PluralRules(locales.zh) };

/** The form of a plural text that fits n; any other text as it is. */
export function formOf(text: string, language: Language, n: unknown): string {
  const forms = text.split(separator);
  if (forms.length === 1) return text;
  const one = pluralRules[language].select(Number(n)) === 'one';
  return (one ? forms[0] : forms.at(-1)) ?? text;
}

/** The pieces of a text in order: words as strings, places as their values. */
export function piecesOf<T>(text: string, values: Readonly<Record<string, T>>): (string | T)[] {
  return text.split(/(\{\w+\})/).flatMap<string | T>((piece) => {
    if (piece === '') return [];
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    return name !== undefined && Object.hasOwn(values, name) ? [values[name] as T] : [piece];
  });
}
