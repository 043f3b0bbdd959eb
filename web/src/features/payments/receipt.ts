import type { Order } from '@/features/orders/queries';
import type { Receipt } from './queries';

/** The inputs of a payment. */
export interface ReceiptForm {
  method: Receipt['method'];
  provider: string;
  reference: string;
  /** In minor units; null while the input is invalid. */
  amount: number | null;
}

type Owed = Pick<Order, 'amount' | 'due'>;

export const blankReceipt = ({ due }: Pick<Order, 'due'>): ReceiptForm => ({ method: 'external', provider: '', reference: '', amount: due });

/** The inputs with a fault; each fault is the key of its text. An order without an amount is paid without one. */
export function faultsOf(
  { method, reference, amount }: ReceiptForm,
  order: Owed,
): Partial<Record<'reference' | 'amount', 'needed' | 'amountNeeded' | 'amountMax'>> {
  const faults: ReturnType<typeof faultsOf> = {};
  if (method === 'external' && reference.trim() === '') faults.reference = 'needed';
  if (order.amount === 0) return faults;
  if (amount === null || amount === 0) faults.amount = 'amountNeeded';
  else if (method === 'wallet' && amount > order.due) faults.amount = 'amountMax';
  return faults;
}

/**
 * Whether the order cannot take the payment, which is then recorded as unmatched: money that was
 * received is never rejected.
 */
export const isUnmatched = ({ method, amount }: ReceiptForm, { due }: Owed): boolean => method === 'external' && amount !== null && amount > due;

/** The request body. The reference of a payment from the wallet is the idempotency key of the request. */
export function receiptOf({ method, provider, reference, amount }: ReceiptForm, order: Owed, key: string): Receipt {
  const source = method === 'wallet' ? { method, reference: key } : { method, reference: reference.trim() };
  const name = provider.trim();
  return { ...source, ...(method === 'external' && name !== '' && { provider: name }), ...(order.amount > 0 && amount !== null && { amount }) };
}
