import { at, diff, encode, equal, exact, type JsonObject, type Value } from '@/merge';
import { contentOfConfig } from '@/features/configs/editor/form';
import type { Config } from '@/features/configs/queries';
import type { Side } from './queries';

/** A place that the proposal or others changed, on each side; undefined where there is nothing. */
export interface Place {
  pointer: string;
  base: Value;
  proposed: Value;
  current: Value;
  /** The proposal changes it. */
  isProposed: boolean;
  /** Others changed it since. */
  hasMoved: boolean;
}

type Version = Side['base'];

/** What of a record is edited; of a kind that is not known here, all of it. */
function contentOf(resource: string, version: Version): JsonObject {
  if (version === null) return {};
  return resource.startsWith('configs/') ? contentOfConfig(version as unknown as Config) : (exact(version) as JsonObject);
}

/** The places in which the sides of a record differ: what is proposed first, then what only others changed. */
export function placesOf({ resource, base, proposed, current }: Side): Place[] {
  const [was, would, is] = [base, proposed, current].map((version) => contentOf(resource, version)) as [JsonObject, JsonObject, JsonObject];
  const ofProposal = diff(was, would).map(({ pointer }) => pointer);
  const isWithin = (pointer: string) => ofProposal.some((one) => pointer === one || pointer.startsWith(`${one}/`));
  const ofOthers = diff(was, is).map(({ pointer }) => pointer);
  return [...ofProposal, ...ofOthers.filter((pointer) => !isWithin(pointer))].map((pointer) => {
    const [before, after, now] = [was, would, is].map((content) => at(content, pointer));
    return { pointer, base: before, proposed: after, current: now, isProposed: !same(before, after), hasMoved: !same(before, now) };
  });
}

/** What a refund is, beside the status that its approval changes: who votes decides about all of it. */
const factsOfRefund = ['amount', 'userId', 'orderNo', 'method', 'reason', 'requestedBy'];

/** Places that no side changes and that are shown all the same, with what stands there. */
export function factsOf({ resource, proposed }: Side): { pointer: string; value: Value }[] {
  if (proposed === null || !resource.startsWith('refunds/')) return [];
  return factsOfRefund.map((name) => ({ pointer: `/${name}`, value: at(contentOf(resource, proposed), `/${name}`) }));
}

const same = (a: Value, b: Value): boolean => (a === undefined || b === undefined ? a === b : equal(a, b));

/** A merge patch as it is edited, its numbers as they were spelled. */
export const patchText = (patch: unknown): string => encode(exact(patch), 2);
