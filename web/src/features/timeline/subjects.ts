import { foundAs } from '@/features/resources';
import type { Found } from '@/features/search/queries';
import type { Subject } from './collect';

/** A subject with its display name and page. */
export interface Named extends Subject {
  name: string;
  href: string;
}

function subjectOf({ kind, id, title, href }: Found): Named | undefined {
  const as = foundAs[kind].timeline;
  if (as === undefined) return undefined;
  if (as === 'ticket') return { kind: as, id, name: title, href, sale: Number(/^\/flash-sales\/(\d+)/.exec(href)?.[1]) };
  // All uses of an idempotency key are displayed as one subject.
  return { kind: as, id: as === 'idempotency-key' ? title : id, name: title, href };
}

function subjectsOf(hits: readonly Found[]): Named[] {
  const all = hits.flatMap((hit) => subjectOf(hit) ?? []);
  return [...new Map(all.map((one) => [`${one.kind} ${one.id}`, one] as const).reverse()).values()].reverse();
}

/** The subjects with exactly this name, one per kind. */
export function subjectsIn(hits: readonly Found[], q: string): Named[] {
  const exact = subjectsOf(hits).filter(({ name }) => name.toLowerCase() === q.toLowerCase());
  return exact.filter(({ kind }, i) => exact.findIndex((one) => one.kind === kind) === i);
}

const maxHits = 8;

/** The subjects with a name that starts with the text. */
export const nearHits = (hits: readonly Found[]): Named[] => subjectsOf(hits).slice(0, maxHits);
