import { Fragment, useMemo, type ReactNode } from 'react';
import type { Catalogue, LocalText, Places } from './catalogue';
import { useFormat } from './format';
import { formOf, piecesOf } from './interpolate';
import { useLanguage } from './language';

type ValueArguments<Text extends string, T> = [Places<Text>] extends [never] ? [] : [values: Readonly<Record<Places<Text>, T>>];

/** Returns the texts of a catalogue in the current language. Numbers are formatted. */
export interface Translate<En extends Record<string, string>> {
  <K extends keyof En & string>(key: K, ...values: ValueArguments<En[K], string | number>): string;
  /** Returns a text with elements as the values of its placeholders. */
  rich: <K extends keyof En & string>(key: K, ...values: ValueArguments<En[K], ReactNode>) => ReactNode;
}

export function useText<En extends Record<string, string>>(catalogue: Catalogue<En>): Translate<En> {
  const { language } = useLanguage();
  const { number } = useFormat();
  return useMemo(() => {
    const texts: Readonly<Record<keyof En, string>> = catalogue[language];
    const pieces = <T,>(key: keyof En, values: Readonly<Record<string, T>> = {}) => piecesOf(formOf(texts[key], language, values.n), values);
    const plain = (key: keyof En, values?: Readonly<Record<string, string | number>>) =>
      pieces(key, values)
        .map((piece) => (typeof piece === 'number' ? number(piece) : piece))
        .join('');
    const rich = (key: keyof En, values?: Readonly<Record<string, ReactNode>>) =>
      pieces(key, values).map((piece, i) => <Fragment key={i}>{typeof piece === 'number' ? number(piece) : piece}</Fragment>);
    return Object.assign(plain, { rich });
  }, [catalogue, language, number]);
}

/** Returns a function that selects the current language of a LocalText. */
export function useLocalText(): (text: LocalText) => string {
  const { language } = useLanguage();
  return (text) => text[language];
}
