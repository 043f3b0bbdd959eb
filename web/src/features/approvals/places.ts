import { at, diff, encode, equal, exact, type JsonObject, type Value } from '@/merge';
import { contentOfConfig } from '@/features/configs/editor/form';
import type { Config } from '@/features/configs/queries';
import type { Side } from './queries';

/** A value that the proposal or other users changed: base, proposed and current. A side is undefined if the value is absent there. */
export interface Place {
  pointer: string;
  base: Value;
  proposed: Value;
  current: Value;
  /** Whether the proposal changes the value. */
  isProposed: boolean;
  /** Whether other users have changed the value since the proposal. */
  hasMoved: boolean;
}

type Version = Side['base'];

/** The editable content of a record; for unknown kinds the complete record. */
function contentOf(resource: string, version: Version): JsonObject {
  if (version === null) return {};
  return resource.startsWith('configs/') ? contentOfConfig(version as unknown as Config) : (exact(version) as JsonObject);
}

/** The values in which the sides of a record differ: proposed changes first, then changes of other users. */
export function changesIn({ resource, base, proposed, current }: Side): Place[] {
  const [was, would, is] = [base, proposed, current].map((version) => contentOf(resource, version)) as [JsonObject, JsonObject, JsonObject];
  const ofProposal = diff(was, would).map(({ pointer }) => pointer);
  const isWithin = (pointer: string) => ofProposal.some((one) => pointer === one || pointer.startsWith(`${one}/`));
  const ofOthers = diff(was, is).map(({ pointer }) => pointer);
  return [...ofProposal, ...ofOthers.filter((pointer) => !isWithin(pointer))].map((pointer) => {
    const [before, after, now] = [was, would, is].map((content) => at(content, pointer));
    return { pointer, base: before, proposed: after, current: now, isProposed: !same(before, after), hasMoved: !same(before, now) };
  });
}

/** The members of a refund that voters need in addition to its status. */
const factsOfRefund = ['amount', 'userId', 'orderNo', 'method', 'reason', 'requestedBy'];

/** Unchanged values that are displayed nevertheless. */
export function factsOf({ resource, proposed }: Side): { pointer: string; value: Value }[] {
  if (proposed === null || !resource.startsWith('refunds/')) return [];
  return factsOfRefund.map((name) => ({ pointer: `/${name}`, value: at(contentOf(resource, proposed), `/${name}`) }));
}

const same = (a: Value, b: Value): boolean => (a === undefined || b === undefined ? a === b : equal(a, b));

/** Returns a merge patch as editable text. Numbers retain all digits. */
export const patchText = (patch: unknown): string => encode(exact(patch), 2);
