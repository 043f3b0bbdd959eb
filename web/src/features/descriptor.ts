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
  /** The folder of their paths: "items" of "items/TEA". */
  folder: string;
  label: LocalText;
  /** The permission for creating a record. */
  write: string;
  /**
   * The name of a record: `key` if its path contains it, `unique` if at most one record has it,
   * otherwise `free`. Without a key, a restored record gets a new number.
   */
  name: 'key' | 'unique' | 'free';
}

/** The facts about a resource that pages of other features show. */
export interface Descriptor {
  /** The noun of its actions in the audit log: "order" of "order.pay". */
  noun?: string;
  /** The noun in a sentence: "an order". */
  one?: LocalText;
  /** Its kinds in the search. */
  found?: Partial<Record<FoundKind, FoundAs>>;
  /** Present if its records can be deleted and restored. */
  deleted?: Deletable;
}
