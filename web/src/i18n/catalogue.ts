export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A text in every language, such as a title or a label, that is declared next to code instead of in a catalogue. */
export type LocalText = Readonly<Record<Language, string>>;

/** The texts of one feature. The compiler reports missing and unused Chinese texts. */
export interface Catalogue<En extends Record<string, string>> {
  readonly en: En;
  readonly zh: Readonly<Record<keyof En, string>>;
}

/** Whether a catalogue has a text with this key. */
export const isTextOf = <En extends Record<string, string>>({ en }: Catalogue<En>, key: string): key is keyof En & string => Object.hasOwn(en, key);

/** The placeholder names of a text: who and version for "{who} saved {version}". */
export type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;

/**
 * Declares the texts of a feature.
 *
 * `{name}` is a placeholder. A text of the form "one | other" is plural: the value of `n` selects
 * the form by the rules of the language. A language without plurals (Chinese) has one form.
 */
export function catalogue<const En extends Record<string, string>>(en: En, zh: Readonly<Record<keyof NoInfer<En>, string>>): Catalogue<En> {
  return { en, zh };
}
