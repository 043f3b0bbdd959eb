import { isCustomerId } from '@/api';
import { randomId } from '@/browser/id';
import type { Posting, TransferRequest, Wallet } from './queries';

/** The form for a credit or debit. */
export interface PostingForm {
  side: 'credit' | 'debit';
  /** The amount in minor units, positive for credits and debits. */
  amount: number | null;
  kind: string;
  /** Identifies the entry in the wallet, so that it is applied once even if it is sent twice. */
  reference: string;
}

/** The form for a transfer. */
export interface TransferForm {
  fromUserId: string;
  toUserId: string;
  amount: number | null;
  reference: string;
}

export const newReference = (): string => `adm-${randomId().slice(0, 12)}`;

export const openPosting = (): PostingForm => ({ side: 'credit', amount: null, kind: 'correction', reference: newReference() });

export const openTransfer = (fromUserId: string) => (): TransferForm => ({ fromUserId, toUserId: '', amount: null, reference: newReference() });

const kindShape = /^[A-Za-z0-9._-]{1,32}$/;
const isReference = (text: string) => text.trim() !== '' && !text.trim().startsWith('@');

export type Missing = 'amount' | 'kind' | 'reference' | 'fromUserId' | 'toUserId' | 'same';

export function missingOfPosting({ amount, kind, reference }: PostingForm): ReadonlySet<Missing> {
  const missing = new Set<Missing>();
  if (amount === null || amount === 0) missing.add('amount');
  if (!kindShape.test(kind)) missing.add('kind');
  if (!isReference(reference)) missing.add('reference');
  return missing;
}

export function missingOfTransfer({ fromUserId, toUserId, amount, reference }: TransferForm): ReadonlySet<Missing> {
  const missing = new Set<Missing>();
  if (!isCustomerId(fromUserId)) missing.add('fromUserId');
  if (!isCustomerId(toUserId)) missing.add('toUserId');
  else if (fromUserId === toUserId) missing.add('same');
  if (amount === null || amount === 0) missing.add('amount');
  if (!isReference(reference)) missing.add('reference');
  return missing;
}

/** The change of the balance in minor units; negative for a debit. */
export const signedAmount = ({ side, amount }: PostingForm): number => (side === 'credit' ? 1 : -1) * (amount ?? 0);

/** The votes that the entry needs; undefined if it is applied immediately. */
export const needsOf = (wallet: Wallet, form: PostingForm): Wallet['changeNeeds'] => neededFor(wallet, signedAmount(form));

/** The votes that a change of a wallet by an amount needs; undefined if it is applied immediately. */
export const neededFor = ({ changeNeeds }: Wallet, amount: number): Wallet['changeNeeds'] =>
  changeNeeds !== undefined && Math.abs(amount) > changeNeeds.above ? changeNeeds : undefined;

export const postingOf = (form: PostingForm): Posting => ({ amount: signedAmount(form), kind: form.kind, reference: form.reference.trim() });

export const transferOf = ({ fromUserId, toUserId, amount, reference }: TransferForm): TransferRequest => ({
  fromUserId,
  toUserId,
  amount: amount ?? 0,
  reference: reference.trim(),
});
