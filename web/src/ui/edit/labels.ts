import { useFormat, useText } from '@/i18n';
import { useUser, type PersonName } from '@/api';
import { isObject, type Json, type JsonObject, type Value } from '@/merge';
import { useActorName } from '../Person';
import { editMessages } from './messages';

/** The labels of the fields of a record by JSON Pointer, and the texts of their values. */
export interface Labels {
  field: (pointer: string) => string;
  show: (value: Value, pointer: string) => string;
}

/** The form of a record with one input per field; null is a field without a value. */
export type Fields = Readonly<Record<string, string | number | boolean | null>>;

type FieldOf<T> = keyof T & string;

/** The displayed name and value of a field. */
interface FieldText<V> {
  label: string;
  show: (value: NonNullable<V>) => string;
}

export type FieldTexts<T> = { readonly [F in FieldOf<T>]: FieldText<T[F]> };

/** The content of a form: a field without a value is absent. */
export const contentOfFields = (fields: Fields): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string | number | boolean] => entry[1] !== null));

/** Returns the reverse of contentOfFields. A field that is absent in the content has its value from `blank`. */
export const fieldsOf =
  <T extends Fields>(blank: T) =>
  (content: JsonObject): T => ({ ...blank, ...content });

/** The labels of a record's fields. */
export function labelsOf<T extends Fields>(texts: FieldTexts<T>): Labels {
  const at = (pointer: string): FieldText<Json> | undefined => (texts as unknown as Partial<Record<string, FieldText<Json>>>)[pointer.slice(1)];
  return {
    field: (pointer) => at(pointer)?.label ?? pointer,
    show: (value, pointer) => (value === undefined || value === null || isObject(value) ? '' : (at(pointer)?.show(value) ?? JSON.stringify(value))),
  };
}

/** Formats lists of fields and people. */
export function useNameLists({ field }: Labels) {
  const t = useText(editMessages);
  const me = useUser().id;
  const { list } = useFormat();
  const nameOf = useActorName();
  return {
    fields: (pointers: readonly string[]) => list([...new Set(pointers.map(field))]),
    people: (names: readonly PersonName[]) => list(names.map(nameOf)),
    who: (person: PersonName) => (person.id === me ? t('youElsewhere') : nameOf(person)),
  };
}

/** Whether a label is a JSON Pointer, which is displayed in monospace. */
export const isKeyPath = (field: string) => field.startsWith('/');
