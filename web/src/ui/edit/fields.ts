/** What of a record is edited in a form: one value a field. */
export type Fields = Readonly<Record<string, string | number | null>>;

export type FieldOf<T> = keyof T & string;

/** How people read a field. */
export interface FieldText<T> {
  label: string;
  show: (record: T) => string;
}

export type FieldTexts<T> = Readonly<Record<FieldOf<T>, FieldText<T>>>;

/** The fields in which two records differ, in the order of the texts. */
export function changedFields<T extends Fields>(texts: FieldTexts<T>, before: T, after: T): FieldOf<T>[] {
  return (Object.keys(texts) as FieldOf<T>[]).filter((field) => before[field] !== after[field]);
}
