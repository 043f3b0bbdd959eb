import { menuContents } from './access/menus/fields';
import { roleContents } from './access/roles/fields';
import { userContents } from './access/users/fields';
import { campaignContents } from './campaigns/fields';
import { configContents } from './configs/useConfigWords';
import type { Contents } from './descriptor';
import { saleContents } from './flash-sales/fields';
import { itemContents } from './items/fields';
import { webhookContents } from './webhooks/fields';

const all = [itemContents, campaignContents, saleContents, userContents, roleContents, menuContents, webhookContents];

/** The content of the records that an action such as "item.update" changes; by default that of a config, or JSON Pointers. */
export const contentsOf = (action: string): Contents => all.find(({ noun }) => action.startsWith(`${noun}.`)) ?? configContents;
