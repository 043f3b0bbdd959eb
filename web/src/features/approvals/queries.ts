import { queryOptions } from '@tanstack/react-query';
import { resource, type Approval, type components } from '@/api';
import type { TableSearch } from '@/ui/table';
import type { views } from './views';

/** An approval with its proposal and the records before and after. Numbers retain all digits. */
export type ApprovalRead = components['schemas']['ApprovalRead'];
export type ApprovalStatus = components['schemas']['ApprovalStatus'];
export type Side = NonNullable<ApprovalRead['sides']>[number];
/** The possible actions; a bypass is an approval without the votes. */
export type Step = Approval['allowedTransitions'][number] | 'bypass';

export interface ApprovalSearch extends TableSearch {
  /** A view; without one, all approvals. */
  view?: (typeof views)[number];
  resource?: string;
}

const queryOf = {
  toDecide: { waitingFor: 'me' },
  mine: { author: 'me', status: 'pending' },
  scheduled: { status: 'scheduled' },
  mineStale: { waitingFor: 'me', status: 'stale' },
  toReview: { status: 'bypassed' },
} as const satisfies Record<(typeof views)[number], object>;

const approvals = resource('/api/v1/approvals', { exact: true });
/** Comments are newest first; the page reverses them. */
export const { one: oneApproval, history: approvalHistory, comments: approvalComments, edit: editApproval } = approvals;

/** One page of the approvals. */
export const readApprovals = ({ view, ...search }: ApprovalSearch, signal?: AbortSignal) => approvals.list({ ...search, ...(view && queryOf[view]) }, signal);

/** The changes of a record that wait for votes or for their time. */
export function waitingOf(record: string) {
  return queryOptions({
    queryKey: ['approvals', 'of', record],
    queryFn: async ({ signal }): Promise<Approval[]> => {
      const lists = await Promise.all((['pending', 'scheduled'] as const).map((status) => approvals.list({ resource: record, status }, signal)));
      return lists.flatMap(({ items }) => items);
    },
  });
}

/** Adds a comment to an approval. */
export const comment = (id: number, text: string, key: string) => approvals.act(id, 'comments', { body: { text }, key });

/** Performs a step, guarded by the ETag, so that a vote counts only for the displayed content. */
export function takeStep(id: number, step: Step, etag: string, reason: string, key: string): Promise<Approval> {
  const write = { etag, key };
  switch (step) {
    case 'bypass':
      return approvals.act(id, 'approve', { ...write, query: { bypass: reason } });
    case 'reject':
      return approvals.act(id, step, { ...write, body: { reason } });
    case 'review':
      return approvals.act(id, step, { ...write, body: { note: reason } });
    default:
      return approvals.act(id, step, write);
  }
}
