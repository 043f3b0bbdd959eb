import { placedContentOf, useMenuLabels } from '@/features/access/menus/fields';
import type { Menu } from '@/features/access/menus/queries';
import { contentOf as contentOfRole, readFields as readRole, useRoleLabels } from '@/features/access/roles/fields';
import type { Role } from '@/features/access/roles/queries';
import { contentOf as contentOfUser, readFields as readUser, useUserLabels } from '@/features/access/users/fields';
import type { User } from '@/features/access/users/queries';
import { readFields as readTerms, useCampaignLabels } from '@/features/campaigns/fields';
import type { CampaignTerms } from '@/features/campaigns/queries';
import { useConfigLabels } from '@/features/configs/useConfigWords';
import { readFields as readSale, useSaleLabels } from '@/features/flash-sales/fields';
import type { SaleTerms } from '@/features/flash-sales/queries';
import { useItemLabels } from '@/features/items/fields';
import { diff, exact, isObject, type Change, type Json, type JsonObject } from '@/merge';
import { contentOfFields, type Labels } from '@/ui';
import type { AuditEntry } from './queries';

/** The detail of an audit entry. Domains write different members; this type names the known ones. */
export interface Detail {
  /** The record before and after the action. `before` is undefined for a creation, `after` for a deletion. */
  before: JsonObject | undefined;
  after: JsonObject | undefined;
  /** The versions of a config; its history contains their contents. */
  versions: { from: number; to: number } | undefined;
  /** The values of other users that were overwritten on purpose. */
  destroyed: JsonObject | undefined;
  /** All other members, by name. */
  rest: [name: string, value: Json][];
}

/** The members that have a separate presentation. */
const knownMembers = new Set(['before', 'after', 'content', 'terms', 'destroyed', 'changed', 'fromVersion', 'toVersion']);

export function detailOf({ detail, action }: Pick<AuditEntry, 'detail' | 'action'>): Detail {
  const members = exact(detail);
  const all = isObject(members) ? members : {};
  const object = (name: string) => {
    const value = all[name];
    return isObject(value) ? value : undefined;
  };
  const [from, to] = ['fromVersion', 'toVersion'].map((name) => (typeof all[name] === 'number' ? all[name] : undefined));
  const whole = object('content') ?? object('terms');
  const isGone = action.endsWith('.delete');
  return {
    before: object('before') ?? (isGone ? whole : undefined),
    after: object('after') ?? (isGone ? undefined : whole),
    versions: to === undefined || from === undefined || from === 0 || isGone ? undefined : { from, to },
    destroyed: object('destroyed'),
    rest: Object.entries(all).filter((member): member is [string, Json] => !knownMembers.has(member[0])),
  };
}

/** The labels for the records of an action: those of the page of the record, or the JSON Pointers. */
export function useRecordLabels(action: string): { labels: Labels; read: (record: JsonObject) => JsonObject } {
  const [config, item, campaign, sale] = [useConfigLabels(), useItemLabels(), useCampaignLabels(), useSaleLabels()];
  const [user, role, menu] = [useUserLabels(), useRoleLabels(), useMenuLabels()];
  switch (action.split('.')[0]) {
    case 'item':
      return { labels: item, read: same };
    case 'coupon_campaign':
      return { labels: campaign, read: (record) => contentOfFields(readTerms(record as unknown as CampaignTerms)) };
    case 'flash_sale':
      return { labels: sale, read: (record) => contentOfFields(readSale(record as unknown as SaleTerms)) };
    case 'user':
      return { labels: user, read: (record) => contentOfUser(readUser(record as unknown as User)) };
    case 'role':
      return { labels: role, read: (record) => contentOfRole(readRole(record as unknown as Role)) };
    case 'menu':
      return { labels: menu, read: (record) => placedContentOf({ parentId: null, ...record } as unknown as Menu) };
    default:
      return { labels: config, read: same };
  }
}

const same = (record: JsonObject): JsonObject => record;

/** The differences that an entry itself contains. */
export function changesIn({ before, after }: Detail, read: (record: JsonObject) => JsonObject): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return diff(before === undefined ? {} : read(before), after === undefined ? {} : read(after));
}
