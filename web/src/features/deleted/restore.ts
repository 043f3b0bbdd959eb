import { queryOptions } from '@tanstack/react-query';
import { createMenu } from '@/features/access/menus/queries';
import { createRole, type RoleTerms } from '@/features/access/roles/queries';
import { createCampaign, type CampaignTerms } from '@/features/campaigns/queries';
import { contentOf, contentOfConfig, formOf } from '@/features/configs/editor/form';
import { createConfig, findDeletion, type ConfigRevision } from '@/features/configs/queries';
import { readFields as readSale, termsOf as termsOfSale } from '@/features/flash-sales/fields';
import { createSale, type SaleTerms } from '@/features/flash-sales/queries';
import { createItem, type NewItem } from '@/features/items/queries';
import { readFields as readCampaign, termsOf as termsOfCampaign } from '@/features/campaigns/fields';
import type { JsonObject } from '@/merge';
import type { Deed } from './kinds';

/** The complete content of a record at its deletion. */
export interface Content {
  /** The content as the record's page shows it. */
  shown: JsonObject;
  /** The reason why the record cannot be restored; undefined if it can. */
  lacks?: 'secret';
  /** The last version of a config; undefined for other records. */
  revision?: ConfigRevision;
}

/** Reads the content of a deleted record; null if the service no longer has it. */
export function deletedContent(deed: Deed) {
  return queryOptions({
    queryKey: [deed.kind, 'deleted', deed.entry.id, deed.record],
    queryFn: async ({ signal }): Promise<Content | null> => {
      if (deed.kind !== 'configs') return deed.content === undefined ? null : { shown: deed.content };
      const revision = await findDeletion(deed.record, deed.entry.createdTime, signal);
      if (revision === undefined) return null;
      return { shown: contentOfConfig(revision), revision, ...(revision.masked === true ? { lacks: 'secret' as const } : {}) };
    },
    staleTime: Infinity,
  });
}

/** Creates a record again from its content; the current rules apply. Returns the path of the new record. */
export async function recreate({ kind, record, path }: Deed, { shown, revision }: Content, key: string): Promise<string> {
  switch (kind) {
    case 'configs':
      if (revision !== undefined) await createConfig({ key: record, ...contentOf(formOf(revision)) }, key);
      return path;
    case 'items':
      await createItem({ ...(shown as unknown as NewItem), sku: record }, key);
      return path;
    case 'roles':
      return `${kind}/${(await createRole(shown as unknown as RoleTerms, key)).id}`;
    case 'menus':
      return `${kind}/${(await createMenu(shown, key)).id}`;
    case 'coupon-campaigns':
      return `${kind}/${(await createCampaign(termsOfCampaign(readCampaign(shown as unknown as CampaignTerms)), key)).id}`;
    case 'flash-sales':
      return `${kind}/${(await createSale(termsOfSale(readSale(shown as unknown as SaleTerms)), key)).id}`;
  }
}
