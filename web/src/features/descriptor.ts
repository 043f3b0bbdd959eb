import type { components } from '@/api';
import type { Catalogue, LocalText } from '@/i18n';

export type FoundKind = components['schemas']['SearchHit']['kind'];

/** A kind of record in the search. */
export interface FoundAs {
  label: LocalText;
  /** The titles of hits are names. Without it they are ids, displayed in monospace. */
  isNamed?: true;
  /** The texts of the statuses that hits show. */
  statuses?: Catalogue<Record<string, string>>;
  /** The timeline of the record; absent if it has none. */
  timeline?: TimelineKind;
}

export type TimelineKind = 'order' | 'user' | 'item' | 'coupon' | 'ticket' | 'idempotency-key';

/** How deleted records appear and are restored. */
export interface Deletable {
  /** The first path segment of the records, such as "items" in "items/TEA". */
  folder: string;
  label: LocalText;
  /** The permission for creating a record. */
  write: string;
  /**
   * How a name identifies a record: `key` if it is the key in the path, `unique` if at most one
   * record has the name, otherwise `free`. A restored record without a key gets a new number.
   */
  name: 'key' | 'unique' | 'free';
}

/** The properties of a resource that the pages of other features display. */
export interface Descriptor {
  /** The noun of the actions in the audit log, such as "order" in "order.pay". */
  noun?: string;
  /** The noun with its article, for a sentence: "an order". */
  one?: LocalText;
  /** Its kinds in the search. */
  found?: Partial<Record<FoundKind, FoundAs>>;
  /** Present if its records can be deleted and restored. */
  deleted?: Deletable;
}
