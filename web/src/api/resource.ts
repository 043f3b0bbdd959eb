import { queryOptions } from '@tanstack/react-query';
import { encode, exact as exactTree, type Edit } from '@/merge';
import { api, asEdit, data, exactly, idempotent } from './client';
import { pages } from './pages';
import type { paths } from './schema';

type Path = keyof paths;
type Operation<P, M> = P extends Path ? (M extends keyof paths[P] ? NonNullable<paths[P][M]> : never) : never;
type JsonOf<R> = R extends { content: { 'application/json': infer T } } ? T : never;
/** The reply of a successful operation. 202 is excluded: the client throws a proposal as an ApiProblem. */
type Reply<O> = O extends { responses: infer R } ? JsonOf<R[keyof R & (200 | 201)]> : never;
type Body<O> = O extends { requestBody?: infer B } ? JsonOf<NonNullable<B>> : never;
type Query<O> = O extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;
/** The query of a list. `sort` is any string: pages read it from their URL, and the service validates it. */
type ListQuery<O> = { [K in keyof Query<O>]?: K extends 'sort' ? string : Query<O>[K] };

/** The path of one record: "/api/v1/items/{sku}". */
type RecordPath<P extends string> = { [K in Path]: K extends `${P}/{${infer N}}` ? (N extends `${string}/${string}` ? never : K) : never }[Path];
type Id<P extends string> = Operation<RecordPath<P>, 'get' | 'delete'> extends { parameters: { path: infer I } } ? I[keyof I] : never;
/** The operation of a part of one record, such as "history", or of an action, such as "pay". */
type PartOperation<P extends string, A extends string, M> = Operation<`${RecordPath<P>}/${A}`, M>;
type Part<P extends string, M> = {
  [K in Path]: K extends `${RecordPath<P>}/${infer A}` ? (A extends `${string}/${string}` ? never : [Operation<K, M>] extends [never] ? never : A) : never;
}[Path];

/** R if it is a page of a list, otherwise never. */
type Page<R> = R extends { nextCursor: string | null } ? R : never;

/** A write under an idempotency key, guarded by an ETag if one is passed. */
type Write<O> = { key: string; etag?: string; query?: Query<O> } & ([Body<O>] extends [never] ? unknown : { body: Body<O> });

const pageSize = 50;

/**
 * The requests for a collection and its records, typed by the path of the collection. Query keys
 * start with the topic: the path without `/api/v1/`. With `exact`, replies retain all digits of
 * numbers.
 */
export function resource<P extends Path>(path: P, { exact = false } = {}) {
  const topic = path.slice('/api/v1/'.length);
  const calls = api as unknown as Record<'GET' | 'POST' | 'PATCH' | 'DELETE', (path: string, init: object) => Promise<object>>;
  const call = <T>(method: keyof typeof calls, address: string, init: object): Promise<T> =>
    exact ? exactly(calls[method](address, { ...init, parseAs: 'text' })) : data<T>(calls[method](address, init));
  const of = (id: Id<P>, part?: string) => [path, encodeURIComponent(id), part].filter((one) => one !== undefined).join('/');
  const guard = (etag: string | undefined) => (etag === undefined ? undefined : { 'If-Match': etag });
  const post = <T>(address: string, { body, key, etag, query }: { body?: unknown; key: string; etag?: string; query?: object }) =>
    call<T>('POST', address, { params: { header: guard(etag), query }, body, bodySerializer: () => encode(exactTree(body)), headers: idempotent(key) });

  type One = Operation<RecordPath<P>, 'get'>;
  const read = (id: Id<P>, signal?: AbortSignal): Promise<Reply<One>> => call('GET', of(id), { signal });
  const part = <A extends Part<P, 'get'>>(id: Id<P>, name: A, query: ListQuery<PartOperation<P, A, 'get'>>, signal?: AbortSignal) =>
    call<Reply<PartOperation<P, A, 'get'>>>('GET', of(id, name), { params: { query }, signal });
  const paged =
    <A extends 'history' | 'comments'>(name: A, sort?: string) =>
    (id: Id<P>) =>
      pages([topic, 'one', String(id), name], (cursor, signal) =>
        call<Page<Reply<PartOperation<P, A, 'get'>>>>('GET', of(id, name), { params: { query: { limit: pageSize, sort, cursor } }, signal }),
      );
  return {
    /** One page of the records. */
    list: (query: ListQuery<Operation<P, 'get'>>, signal?: AbortSignal): Promise<Reply<Operation<P, 'get'>>> =>
      call('GET', path, { params: { query }, signal }),
    read,
    /** The query of one record. */
    one: (id: Id<P>) => queryOptions({ queryKey: [topic, 'one', String(id)], queryFn: ({ signal }) => read(id, signal) }),
    /** A part of one record, such as its stock movements. */
    part,
    /** The history of one record, newest first, page after page. */
    history: paged('history'),
    /** The comments on one record, newest first, page after page. */
    comments: paged('comments', '-id'),
    create: (body: Body<Operation<P, 'post'>>, key: string): Promise<Reply<Operation<P, 'post'>>> => post(path, { body, key }),
    /** Edits a record, guarded by its ETag. With `merge: 'disjoint'` the service merges other users' edits of other fields. */
    edit: (
      id: Id<P>,
      edit: Edit,
      etag: string,
      key: string,
      query?: Query<Operation<RecordPath<P>, 'patch'>>,
    ): Promise<Reply<Operation<RecordPath<P>, 'patch'>>> => call('PATCH', of(id), { params: { header: guard(etag), query }, ...asEdit(edit, key) }),
    remove: (id: Id<P>, etag?: string, query?: Query<Operation<RecordPath<P>, 'delete'>>): Promise<void> =>
      call('DELETE', of(id), { params: { header: guard(etag), query } }),
    /** Performs an action of a record, such as a status change or a new comment. */
    act: <A extends Part<P, 'post'>>(id: Id<P>, action: A, write: Write<PartOperation<P, A, 'post'>>): Promise<Reply<PartOperation<P, A, 'post'>>> =>
      post(of(id, action), write),
  };
}
