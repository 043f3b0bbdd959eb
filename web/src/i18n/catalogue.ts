export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A text in every language, for what is declared beside code: titles and labels. */
export type LocalText = Readonly<Record<Language, string>>;

/** The texts of one feature. The compiler finds a Chinese text that is missing or left over. */
export interface Catalogue<En extends Record<string, string>> {
  readonly en: En;
  readonly zh: Readonly<Record<keyof En, string>>;
}

/** Names of the places in a text: "{who} saved {version}" has who and version. */
export type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;

/**
 * Declares a feature's texts.
 *
 * `{name}` is a place for a value. A text in the forms "one | other" is plural: the
 * value of `n` decides, by the rules of the language; a language without plurals
 * (Chinese) has one form.
 */
export function catalogue<const En extends Record<string, string>>(en: En, zh: Readonly<Record<keyof NoInfer<En>, string>>): Catalogue<En> {
  return { en, zh };
}
