import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Wallet = components['schemas']['WalletRead'];
export type Entry = components['schemas']['WalletEntry'];
export type Transfer = components['schemas']['WalletTransfer'];
export type Posting = components['schemas']['WalletPosting'];
export type TransferRequest = components['schemas']['WalletTransferRequest'];
export type Shortfall = components['schemas']['InsufficientBalance'];
export type UsedReference = components['schemas']['EntryMismatch'];
type WalletQuery = NonNullable<operations['listWallets']['parameters']['query']>;
type EntryQuery = NonNullable<operations['listWalletEntries']['parameters']['query']>;

export interface WalletSearch extends TableSearch {
  userId?: string;
}

export interface EntrySearch extends TableSearch {
  kind?: string;
  reference?: string;
}

export function readWallets(search: WalletSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/wallets', { params: { query: search as WalletQuery }, signal }));
}

export function oneWallet(userId: string) {
  return queryOptions({
    queryKey: ['wallets', 'one', userId],
    queryFn: ({ signal }) => data(api.GET('/api/v1/wallets/{userId}', { params: { path: { userId } }, signal })),
  });
}

export function readEntries(userId: string, search: EntrySearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/wallets/{userId}/entries', { params: { path: { userId }, query: search as EntryQuery }, signal }));
}

/** Creates an entry. If it needs votes, the client throws a proposal, so the result is always an entry. */
export function enter(userId: string, body: Posting, key: string): Promise<Entry> {
  return data(api.POST('/api/v1/wallets/{userId}/entries', { params: { path: { userId } }, body, headers: idempotent(key) })) as Promise<Entry>;
}

/** Makes a transfer. One that waits for votes is thrown as a proposal. */
export function transfer(body: TransferRequest, key: string): Promise<Transfer> {
  return data(api.POST('/api/v1/wallet-transfers', { body, headers: idempotent(key) })) as Promise<Transfer>;
}
