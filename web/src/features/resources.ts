import type { LocalText } from '@/i18n';
import { menuResource, roleResource, tenantResource, tokenResource, userResource } from './access/resource';
import { approvalResource } from './approvals/resource';
import { campaignResource } from './campaigns/resource';
import { configResource } from './configs/resource';
import { couponResource } from './coupons/resource';
import { customerResource } from './customers/resource';
import type { Deletable, Descriptor, FoundAs, FoundKind } from './descriptor';
import { saleResource } from './flash-sales/resource';
import { keyResource } from './idempotency/resource';
import { stockResource } from './inventory/resource';
import { itemResource } from './items/resource';
import { aggregateResource } from './ledger/resource';
import { orderResource } from './orders/resource';
import { paymentResource } from './payments/resource';
import { promiseResource } from './promises/resource';
import { refundResource } from './refunds/resource';
import { returnResource } from './returns/resource';
import { walletResource } from './wallets/resource';
import { webhookResource } from './webhooks/resource';
import { workOrderResource } from './workorders/resource';

/** Every resource. The search, the audit log and the deleted records derive from this list. */
const resources = [
  configResource,
  approvalResource,
  orderResource,
  paymentResource,
  refundResource,
  returnResource,
  workOrderResource,
  customerResource,
  itemResource,
  stockResource,
  couponResource,
  campaignResource,
  saleResource,
  walletResource,
  aggregateResource,
  keyResource,
  userResource,
  roleResource,
  menuResource,
  tokenResource,
  webhookResource,
  tenantResource,
  promiseResource,
] as const satisfies readonly Descriptor[];

const all: readonly Descriptor[] = resources;

type KindOf<R> = R extends { found: infer F } ? keyof F : never;
type Missing = Exclude<FoundKind, KindOf<(typeof resources)[number]>>;

/** The kinds of records in the search. A kind in the contract that no resource describes is a compile error. */
export const foundAs: [Missing] extends [never] ? Readonly<Record<FoundKind, FoundAs>> : Missing = Object.fromEntries(
  all.flatMap(({ found = {}, timeline }) => Object.entries(found).map(([kind, as]) => [kind, { timeline, ...as }])),
) as Record<FoundKind, FoundAs>;

/** Returns a noun of the audit log with its article; undefined if no resource has it. */
export const nounOf = (noun: string): LocalText | undefined => all.find((one) => one.noun === noun)?.one;

/** The resource with a folder of records; undefined if there is none. */
export const resourceIn = (folder: string): Descriptor | undefined => all.find((one) => one.folder === folder);

/** The folder of a resource with records that can be deleted and restored. */
export type DeletableKind = Extract<(typeof resources)[number], { deleted: unknown }>['folder'];

export const deletable = Object.fromEntries(
  all.flatMap(({ noun, folder, label, create, deleted }) => (deleted === undefined ? [] : [[folder, { noun, label, write: create?.permission, ...deleted }]])),
) as Record<DeletableKind, Deletable & { noun: string; label: LocalText; write: string }>;

/** The resources with a list that can create a record. */
export const creatable = all.flatMap(({ folder, create }) => (folder === undefined || create === undefined ? [] : [{ folder, create }]));
