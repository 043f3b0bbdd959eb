import { queryOptions } from '@tanstack/react-query';
import { api, data, type components } from '@/api';

export type Promised = components['schemas']['Promise'];
export type PromiseName = components['schemas']['PromiseName'];
export type Guarantee = Promised['guarantee'];

/** How often it is read how far the checks have come, in ms. */
const period = 15_000;

/** Every promise and whether it holds. */
export const promises = () =>
  queryOptions({
    queryKey: ['promises'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/promises', { signal })),
    refetchInterval: period,
    retry: false,
  });

/** The same under the installation's signature. */
export const signedPromises = () => data(api.GET('/api/v1/promises/export'));

/** Promises by their guarantees, in order. */
export function byGuarantee(list: readonly Promised[]): [Guarantee, Promised[]][] {
  const groups = new Map<Guarantee, Promised[]>();
  for (const promised of list) groups.set(promised.guarantee, [...(groups.get(promised.guarantee) ?? []), promised]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

/** When the oldest of the last looks ended; undefined while one has not ended yet. */
export function wholeSince(list: readonly Promised[]): string | undefined {
  const times = list.map(({ lookedTime }) => lookedTime);
  return times.some((time) => time === null) ? undefined : times.filter((time) => time !== null).sort()[0];
}
