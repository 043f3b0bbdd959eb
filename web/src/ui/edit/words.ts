import { useFormat, useText } from '@/i18n';
import { useUser, type PersonName } from '@/api';
import { isObject, type Json, type JsonObject, type Value } from '@/merge';
import { editMessages } from './messages';

/** How people read the places of a record, by their pointers, and what stands there. */
export interface Words {
  place: (pointer: string) => string;
  show: (value: Value, pointer: string) => string;
}

/** What of a record is edited in a form with one input a field: one value a field, null for none. */
export type Fields = Readonly<Record<string, string | number | null>>;

type FieldOf<T> = keyof T & string;

/** How people read a field; what is being typed may be none. */
interface FieldText<V> {
  label: string;
  show: (value: NonNullable<V>) => string;
}

export type FieldTexts<T> = { readonly [F in FieldOf<T>]: FieldText<T[F]> };

/** The content that fields stand for: a field without a value is absent. */
export const contentOfFields = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string | number] => entry[1] !== null));

/** The reverse, given fields without values. */
export const fieldsOf =
  <T extends Fields>(blank: T) =>
  (content: JsonObject): T => ({ ...blank, ...content });

/** How fields are read as places of a record. */
export function wordsOf<T extends Fields>(texts: FieldTexts<T>): Words {
  const at = (pointer: string): FieldText<Json> | undefined => (texts as unknown as Partial<Record<string, FieldText<Json>>>)[pointer.slice(1)];
  return {
    place: (pointer) => at(pointer)?.label ?? pointer,
    show: (value, pointer) => (value === undefined || value === null || isObject(value) ? '' : (at(pointer)?.show(value) ?? JSON.stringify(value))),
  };
}

/** How lists of places and people are told. */
export function useTelling({ place }: Words) {
  const t = useText(editMessages);
  const me = useUser().id;
  const { list } = useFormat();
  return {
    places: (pointers: readonly string[]) => list([...new Set(pointers.map(place))]),
    people: (names: readonly PersonName[]) => list(names.map(({ name }) => name)),
    who: (person: PersonName) => (person.id === me ? t('youElsewhere') : person.name),
  };
}

/** Whether a place is a key path, which is set in monospace, and no word. */
export const isKeyPath = (place: string) => place.startsWith('/');
