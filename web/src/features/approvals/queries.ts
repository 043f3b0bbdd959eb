import { queryOptions } from '@tanstack/react-query';
import { api, asEdit, data, exactly, idempotent, pages, type Approval, type components, type operations } from '@/api';
import type { JsonObject } from '@/merge';
import type { TableSearch } from '@/ui/table';
import type { views } from './views';

/** An approval with its proposal and both sides; numbers are spelled as received. */
export type ApprovalRead = components['schemas']['ApprovalRead'];
export type ApprovalComment = components['schemas']['ApprovalComment'];
export type ApprovalStatus = components['schemas']['ApprovalStatus'];
export type Side = NonNullable<ApprovalRead['sides']>[number];
/** The possible actions; a bypass is an approval without the votes. */
export type Step = Approval['allowedTransitions'][number] | 'bypass';
type ListQuery = NonNullable<operations['listApprovals']['parameters']['query']>;

export interface ApprovalSearch extends TableSearch {
  /** A view; without one, all approvals. */
  view?: (typeof views)[number];
  resource?: string;
}

const queryOf: Record<(typeof views)[number], ListQuery> = {
  toDecide: { waitingFor: 'me' },
  mine: { author: 'me', status: 'pending' },
  scheduled: { status: 'scheduled' },
  mineStale: { waitingFor: 'me', status: 'stale' },
  toReview: { status: 'bypassed' },
};

const historyPage = 50;

/** One page of the approvals. */
export function readApprovals({ view, ...search }: ApprovalSearch, signal?: AbortSignal) {
  const query = { ...search, ...(view && queryOf[view]) } as ListQuery;
  return data(api.GET('/api/v1/approvals', { params: { query }, signal }));
}

export function oneApproval(id: number) {
  return queryOptions({
    queryKey: ['approvals', 'one', String(id)],
    queryFn: ({ signal }): Promise<ApprovalRead> => exactly(api.GET('/api/v1/approvals/{id}', { params: { path: { id } }, parseAs: 'text', signal })),
  });
}

/** The changes of a record that wait for votes or for their time. */
export function waitingOf(resource: string) {
  return queryOptions({
    queryKey: ['approvals', 'of', resource],
    queryFn: async ({ signal }): Promise<Approval[]> => {
      const lists = await Promise.all(
        (['pending', 'scheduled'] as const).map((status) => data(api.GET('/api/v1/approvals', { params: { query: { resource, status } }, signal }))),
      );
      return lists.flatMap(({ items }) => items);
    },
  });
}

export const approvalHistory = (id: number) =>
  pages(['approvals', 'one', String(id), 'history'], (cursor, signal) =>
    data(api.GET('/api/v1/approvals/{id}/history', { params: { path: { id }, query: { limit: historyPage, cursor } }, signal })),
  );

/** The comments, newest first; the page reverses them. */
export const approvalComments = (id: number) =>
  pages(['approvals', 'one', String(id), 'comments'], (cursor, signal) =>
    data(api.GET('/api/v1/approvals/{id}/comments', { params: { path: { id }, query: { sort: '-id', limit: historyPage, cursor } }, signal })),
  );

/** Adds a comment to an approval. */
export const comment = (id: number, text: string, key: string): Promise<ApprovalComment> =>
  data(api.POST('/api/v1/approvals/{id}/comments', { params: { path: { id } }, body: { text }, headers: idempotent(key) }));

/** Performs a step at a given ETag, so that a vote counts only for the displayed content. */
export function takeStep(id: number, step: Step, etag: string, reason: string, key: string): Promise<Approval> {
  const path = { id };
  const header = { 'If-Match': etag };
  const init = { params: { path, header }, headers: idempotent(key) };
  switch (step) {
    case 'approve':
      return data(api.POST('/api/v1/approvals/{id}/approve', init));
    case 'bypass':
      return data(api.POST('/api/v1/approvals/{id}/approve', { ...init, params: { path, header, query: { bypass: reason } } }));
    case 'reject':
      return data(api.POST('/api/v1/approvals/{id}/reject', { ...init, body: { reason } }));
    case 'withdraw':
      return data(api.POST('/api/v1/approvals/{id}/withdraw', init));
    case 'rebase':
      return data(api.POST('/api/v1/approvals/{id}/rebase', init));
    case 'review':
      return data(api.POST('/api/v1/approvals/{id}/review', { ...init, body: { note: reason } }));
  }
}

/** Replaces the proposal. */
export function editApproval(id: number, patch: JsonObject, etag: string, key: string): Promise<Approval> {
  const params = { path: { id }, header: { 'If-Match': etag } };
  return data(api.PATCH('/api/v1/approvals/{id}', { params, ...asEdit(patch, key) }));
}
