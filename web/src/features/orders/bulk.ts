import { isProblem } from '@/api';
import type { Said } from '@/ui';
import { readOrders, type Order, type OrderAction, type OrderSearch, type OrderVerdict } from './queries';

/** Orders of one request: small enough that progress shows and a stop is soon heard. */
export const chunkSize = 100;
const pageSize = 200;

/** What became of one row. `unknown`: no answer came; `notSent`: the run ended before it. */
export interface RowVerdict {
  order: Order;
  verdict: OrderVerdict['verdict'] | 'unknown' | 'notSent';
  /** What the service says of one that was refused. */
  said?: Said;
}

export interface Plan {
  eligible: Order[];
  /** Rows whose status does not allow the action. */
  skipped: Order[];
}

export function planOf(orders: readonly Order[], action: OrderAction): Plan {
  return {
    eligible: orders.filter((order) => order.allowedTransitions.includes(action)),
    skipped: orders.filter((order) => !order.allowedTransitions.includes(action)),
  };
}

/** Reads every order that matches the filters, except some. */
export async function readMatching(search: OrderSearch, except: ReadonlySet<string>, onCount: (n: number) => void, signal: AbortSignal): Promise<Order[]> {
  const orders: Order[] = [];
  let cursor: string | undefined;
  do {
    const page = await readOrders({ ...search, cursor, limit: pageSize }, signal);
    orders.push(...page.items.filter(({ id }) => !except.has(String(id))));
    onCount(orders.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return orders;
}

interface Run {
  orders: readonly Order[];
  /** Sends one chunk. */
  send: (ids: number[], chunk: number) => Promise<OrderVerdict[]>;
  onVerdicts: (verdicts: RowVerdict[]) => void;
  signal: AbortSignal;
}

/**
 * Sends the orders chunk by chunk until all are through, it is stopped, or a request
 * fails; then the error is returned, and every row has a verdict all the same.
 */
export async function runBulk({ orders, send, onVerdicts, signal }: Run): Promise<{ verdicts: RowVerdict[]; error?: unknown }> {
  const verdicts: RowVerdict[] = [];
  const add = (more: RowVerdict[]) => {
    verdicts.push(...more);
    onVerdicts([...verdicts]);
  };
  for (let from = 0; from < orders.length; from += chunkSize) {
    const chunk = orders.slice(from, from + chunkSize);
    if (signal.aborted) {
      add(orders.slice(from).map(unsent));
      break;
    }
    try {
      add(
        merged(
          chunk,
          await send(
            chunk.map(({ id }) => id),
            from / chunkSize,
          ),
        ),
      );
    } catch (error) {
      add([...broken(chunk, error), ...orders.slice(from + chunkSize).map(unsent)]);
      return { verdicts, error };
    }
  }
  return { verdicts };
}

const unsent = (order: Order): RowVerdict => ({ order, verdict: 'notSent' });

function merged(chunk: readonly Order[], verdicts: readonly OrderVerdict[]): RowVerdict[] {
  const byId = new Map(verdicts.map((verdict) => [verdict.id, verdict]));
  return chunk.map((order) => {
    const verdict = byId.get(order.id);
    return verdict === undefined ? unsent(order) : { order, verdict: verdict.verdict, said: saidOf(verdict) };
  });
}

const saidOf = ({ code, detail }: OrderVerdict): Said | undefined => (detail === undefined ? undefined : { code, text: detail });

/** A batch that broke in its middle tells how far it came; without a word all of it is open. */
function broken(chunk: readonly Order[], error: unknown): RowVerdict[] {
  if (!isProblem(error)) return chunk.map((order) => ({ order, verdict: 'unknown' }));
  const items = error.as<{ items?: OrderVerdict[] }>().items;
  if (items === undefined && !error.isOutcomeUnknown) return chunk.map(unsent);
  if (items === undefined) return chunk.map((order) => ({ order, verdict: 'unknown' }));
  const rows = merged(chunk, items);
  const next = rows[items.length];
  if (error.isOutcomeUnknown && next !== undefined) rows[items.length] = { ...next, verdict: 'unknown' };
  return rows;
}

/** Rows that are worth a second try. */
export function failedIds(verdicts: readonly RowVerdict[]): Set<string> {
  return new Set(verdicts.filter(({ verdict }) => verdict !== 'done').map(({ order }) => String(order.id)));
}
