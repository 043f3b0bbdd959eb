import type { AuditEntry } from '@/features/audit/queries';
import { exact, isObject, type Json, type JsonObject } from '@/merge';
import { unescaped } from '@/ui/RecordLink';

/** What can be deleted and made again, by the folder of its path. */
export const kinds = ['configs', 'items', 'coupon-campaigns', 'flash-sales', 'roles', 'menus'] as const;
export type Kind = (typeof kinds)[number];

interface Facts {
  /** The noun of its actions in the audit log. */
  noun: string;
  /** What it takes to make one. */
  write: string;
  /** Its name is its own, so that there is one of it; others are made again under a number of their own. */
  isUnique: boolean;
}

export const factsOf: Readonly<Record<Kind, Facts>> = {
  configs: { noun: 'config', write: 'configs:write', isUnique: true },
  items: { noun: 'item', write: 'items:write', isUnique: true },
  'coupon-campaigns': { noun: 'coupon_campaign', write: 'coupons:write', isUnique: false },
  'flash-sales': { noun: 'flash_sale', write: 'flash-sales:write', isUnique: false },
  roles: { noun: 'role', write: 'access:write', isUnique: true },
  menus: { noun: 'menu', write: 'menus:write', isUnique: false },
};

const batch = 'config.batch';

/** The actions that delete records of some kinds, or make them; of configs many at once too. */
export function actionsOf(asked: readonly Kind[], verb: 'delete' | 'create'): string {
  const all = asked.map((kind) => `${factsOf[kind].noun}.${verb}`);
  return [...all, ...(asked.includes('configs') ? [batch] : [])].join(',');
}

/** A record that an entry of the audit log tells of. */
export interface Deed {
  kind: Kind;
  /** Its key, code or number. */
  record: string;
  path: string;
  /** What people call it; its number where that may not be read. */
  name: string;
  /** The version that it had since. */
  version: number | undefined;
  /** All that it was, where the log has it; that of a config stands in its history. */
  content: JsonObject | undefined;
  entry: AuditEntry;
}

/** The records that an entry deleted, or made. */
export function deedsOf(entry: AuditEntry, verb: 'delete' | 'create'): Deed[] {
  const all = exact(entry.detail);
  const detail = isObject(all) ? all : {};
  if (entry.action === batch) {
    const changes = Array.isArray(detail.changes) ? detail.changes : [];
    return changes.flatMap((change): Deed[] => {
      if (!isObject(change) || change.op !== verb || typeof change.key !== 'string') return [];
      return [
        { kind: 'configs', record: change.key, path: `configs/${change.key}`, name: change.key, version: wholeOf(change.version), content: undefined, entry },
      ];
    });
  }
  const kind = kinds.find((one) => entry.action === `${factsOf[one].noun}.${verb}`);
  if (kind === undefined) return [];
  const record = unescaped(entry.resource.slice(kind.length + 1));
  const content = [detail.content, detail.terms, detail].filter(isObject)[0];
  const isKnown = content !== undefined && !('withheld' in detail) && kind !== 'configs';
  return [
    {
      kind,
      record,
      path: entry.resource,
      name: nameOf(kind, record, isKnown ? content : undefined),
      version: wholeOf(detail.toVersion),
      content: isKnown ? content : undefined,
      entry,
    },
  ];
}

const wholeOf = (value: Json | undefined) => (typeof value === 'number' ? value : undefined);

function nameOf(kind: Kind, record: string, content: JsonObject | undefined): string {
  if (kind === 'configs' || kind === 'items') return record;
  const name = [content?.name, content?.title, content?.path].find((text) => typeof text === 'string' && text !== '');
  return typeof name === 'string' ? name : `#${record}`;
}

/** Whether what was made is what was deleted before: the same record, or one that is called so. */
export const isAgain = (deleted: Deed, made: Deed): boolean =>
  made.kind === deleted.kind &&
  made.entry.id > deleted.entry.id &&
  (deleted.kind === 'configs' || deleted.kind === 'items' ? made.record === deleted.record : made.name === deleted.name);
