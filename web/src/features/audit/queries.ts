import { api, exactly, type components, type operations } from '@/api';
import { startOf, type ListPage, type TableSearch } from '@/ui/table';

export type AuditEntry = components['schemas']['AuditEntry'];
type AuditQuery = NonNullable<operations['listAuditLog']['parameters']['query']>;

export interface AuditSearch extends TableSearch {
  resource?: string;
  actor?: string;
  action?: string;
  /** The first day, where the browser is. */
  from?: string;
  /** The last day, itself included. */
  to?: string;
  /** The id of the entry that is open. */
  open?: number;
}

/** One page of the audit log, of some days. */
export function readAuditLog({ from, to, ...search }: AuditSearch, signal?: AbortSignal): Promise<ListPage<AuditEntry>> {
  return readEntriesOf({ ...search, from: startOf(from), to: startOf(to, 1) } as AuditQuery, signal);
}

/** One page of the audit log, between two moments; what was changed holds every number as it was spelled. */
export function readEntriesOf(query: AuditQuery, signal?: AbortSignal): Promise<ListPage<AuditEntry>> {
  return exactly(api.GET('/api/v1/audit-log', { params: { query }, parseAs: 'text', signal }));
}
