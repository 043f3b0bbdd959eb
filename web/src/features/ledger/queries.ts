import { queryOptions } from '@tanstack/react-query';
import { api, asTyped, data, exactly, idempotent, type components, type operations, type PersonName } from '@/api';
import type { Json, JsonObject } from '@/merge';
import type { ListPage, TableSearch } from '@/ui/table';
import type { Count } from './count';

/** The values of counters, writers or deltas by name. They are 64-bit integers, so they are parsed from text. */
export type Counts = Readonly<Record<string, Count>>;
type Exactly<T, N extends keyof T> = Omit<T, N> & Record<N, Counts>;

export type AggregateRow = Exactly<components['schemas']['AggregateRow'], 'counters'>;
export type Aggregate = Exactly<components['schemas']['Aggregate'], 'counters' | 'writers'>;
export type LedgerEvent = Omit<Exactly<components['schemas']['LedgerEvent'], 'deltas'>, 'payload' | 'clientSeq'> & { payload: Json; clientSeq: Count | null };
export type Appended = components['schemas']['LedgerAppended'];

/** The event of the request that a rejection concerns. */
interface Named {
  /** The index of the event in the request, from 0. */
  index: number;
  clientId: string;
  clientSeq: Count | null;
  eventId: string | null;
}
export interface EventLanded extends Named {
  /** The version that the original write returned. */
  version: number;
  eventVersion: number;
  /** The number of events in the request that are already recorded. */
  landed: number;
}
export interface EventMismatch extends Named {
  eventVersion: number;
  differs: ('eventId' | 'eventType' | 'eventTime' | 'deltas' | 'payload')[];
}
export interface SequenceSuperseded extends Named {
  highestSeq: Count;
}
export interface WritersFull {
  limit: number;
}
export interface MovedOn {
  expectedVersion: number;
  currentVersion: number;
  updatedBy: PersonName | null;
  updatedTime: string | null;
}

/** The name of an aggregate: its type and its id. */
export interface AggregateName {
  type: string;
  id: string;
}

export const pathOf = ({ type, id }: AggregateName): string => `${type}/${id}`;

export interface AggregateSearch extends TableSearch {
  type?: string;
}

export interface EventSearch extends TableSearch {
  /** Only events of later versions. */
  after?: number;
}

type ListQuery = NonNullable<operations['listAggregates']['parameters']['query']>;
type EventQuery = NonNullable<operations['listAggregateEvents']['parameters']['query']>;

export function readAggregates(search: AggregateSearch, signal?: AbortSignal): Promise<ListPage<AggregateRow>> {
  return exactly(api.GET('/api/v1/aggregates', { params: { query: search as ListQuery }, parseAs: 'text', signal }));
}

export function oneAggregate(name: AggregateName) {
  return queryOptions({
    queryKey: ['aggregates', 'one', pathOf(name)],
    queryFn: ({ signal }) => exactly<Aggregate>(api.GET('/api/v1/aggregates/{type}/{id}', { params: { path: name }, parseAs: 'text', signal })),
  });
}

/** The default order: newest first. */
export const newestFirst = '-version';

export function readEvents(name: AggregateName, search: EventSearch, signal?: AbortSignal): Promise<ListPage<LedgerEvent>> {
  return exactly(api.GET('/api/v1/aggregates/{type}/{id}/events', { params: { path: name, query: search as EventQuery }, parseAs: 'text', signal }));
}

/** The event that created a version; null if a repair created it. Events never change. */
export function oneEvent(name: AggregateName, version: number) {
  return queryOptions({
    queryKey: ['ledger-event', pathOf(name), version],
    queryFn: async ({ signal }) => {
      const { items } = await readEvents(name, { sort: 'version', after: version - 1, limit: 1 }, signal);
      return items.find((event) => event.version === version) ?? null;
    },
    staleTime: Infinity,
  });
}

/** Records events. Numbers are sent with all digits. */
export function append(name: AggregateName, body: JsonObject, key: string): Promise<Appended> {
  return data(api.POST('/api/v1/aggregates/{type}/{id}/events', { params: { path: name }, ...asTyped(body, idempotent(key)) }));
}
