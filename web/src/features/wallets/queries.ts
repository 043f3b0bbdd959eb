import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Wallet = components['schemas']['WalletRead'];
export type Entry = components['schemas']['WalletEntry'];
export type Transfer = components['schemas']['WalletTransfer'];
export type Posting = components['schemas']['WalletPosting'];
export type TransferRequest = components['schemas']['WalletTransferRequest'];
export type Shortfall = components['schemas']['InsufficientBalance'];
export type UsedReference = components['schemas']['EntryMismatch'];

export interface WalletSearch extends TableSearch {
  userId?: string;
}

export interface EntrySearch extends TableSearch {
  kind?: string;
  reference?: string;
}

const wallets = resource('/api/v1/wallets');
export const { list: readWallets, one: oneWallet } = wallets;

export const readEntries = (userId: string, search: EntrySearch, signal?: AbortSignal) => wallets.part(userId, 'entries', search, signal);

/** Creates an entry. The client throws if it became a proposal. */
export const enter = (userId: string, body: Posting, key: string) => wallets.act(userId, 'entries', { body, key });

/** Creates a transfer. The client throws if it became a proposal. */
export const { create: transfer } = resource('/api/v1/wallet-transfers');
