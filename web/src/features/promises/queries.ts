import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Promised = components['schemas']['Promise'];
export type PromiseName = components['schemas']['PromiseName'];
export type Quota = components['schemas']['PromiseList']['quotas'][number];
export type Guarantee = Promised['guarantee'];

/** The refresh interval, in ms. */
const period = 15_000;

/** Every promise and its state. */
export const promises = () =>
  queryOptions({
    queryKey: ['promises'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/promises', { signal })),
    refetchInterval: period,
    retry: false,
  });

/** Every promise and its state, signed by the installation. */
export const signedPromises = () => data(api.GET('/api/v1/promises/export'));

/** Promises grouped by guarantee, in order. */
export function byGuarantee(list: readonly Promised[]): [Guarantee, Promised[]][] {
  const groups = new Map<Guarantee, Promised[]>();
  for (const promised of list) groups.set(promised.guarantee, [...(groups.get(promised.guarantee) ?? []), promised]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

/** Returns the oldest of the latest check times; undefined if a promise was never checked completely. */
export function allCheckedSince(list: readonly Promised[]): string | undefined {
  const times = list.map(({ lookedTime }) => lookedTime);
  return times.some((time) => time === null) ? undefined : times.filter((time) => time !== null).sort()[0];
}
