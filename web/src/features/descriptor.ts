import type { components } from '@/api';
import type { Catalogue, LocalText } from '@/i18n';
import type { JsonObject } from '@/merge';
import type { Labels } from '@/ui';

export type FoundKind = components['schemas']['SearchHit']['kind'];

/** A kind of record in the search. */
export interface FoundAs {
  label: LocalText;
  /** The titles of hits are names. Without it they are ids, displayed in monospace. */
  isNamed?: true;
  /** The texts of the statuses that hits show. */
  statuses?: Catalogue<Record<string, string>>;
  /** The timeline, if it is not that of the resource. */
  timeline?: TimelineKind;
}

export type TimelineKind = 'order' | 'user' | 'item' | 'coupon' | 'ticket' | 'idempotency-key';

/** How deleted records appear and are restored. */
export interface Deletable {
  /** The label, if only some of the records can be deleted. */
  label?: LocalText;
  /**
   * How a name identifies a record: `key` if it is the key in the path, `unique` if at most one
   * record has the name, otherwise `free`. A restored record without a key gets a new number.
   */
  name: 'key' | 'unique' | 'free';
}

/** How its list creates a record: the act of its button and of the command bar. */
export interface Creatable {
  label: LocalText;
  permission: string;
}

/** The properties of a resource that the pages of other features display. */
export interface Descriptor {
  /** The noun of the actions in the audit log, such as "order" in "order.pay". */
  noun?: string;
  /** The first path segment of its records, such as "items" in "items/TEA". */
  folder?: string;
  /** The label of one record, in front of its name or number. */
  label?: LocalText;
  /** The noun with its article, for a sentence: "an order". */
  one?: LocalText;
  /** The timeline of its records; absent if they have none. */
  timeline?: TimelineKind;
  /** Its kinds in the search. */
  found?: Partial<Record<FoundKind, FoundAs>>;
  /** Present if its list can create a record. */
  create?: Creatable;
  /** Present if its records can be deleted and restored. */
  deleted?: Deletable;
}

/**
 * How the audit log displays the content of a resource's records. It is not part of the descriptor,
 * because the labels of all fields are too large for the pages that only need the nouns.
 */
export interface Contents {
  noun: string;
  useLabels: () => Labels;
  /** Converts a record to the content with these labels. */
  read?: (record: JsonObject) => JsonObject;
}
