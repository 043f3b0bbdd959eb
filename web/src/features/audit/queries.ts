import { api, exactly, type components, type operations } from '@/api';
import { startOf, type ListPage, type TableSearch } from '@/ui/table';

export type AuditEntry = components['schemas']['AuditEntry'];
type AuditQuery = NonNullable<operations['listAuditLog']['parameters']['query']>;

export interface AuditSearch extends TableSearch {
  resource?: string;
  actor?: string;
  action?: string;
  /** The first day, in the browser's zone. */
  from?: string;
  /** The last day, inclusive. */
  to?: string;
  /** The id of the open entry. */
  open?: number;
}

/** One page of the audit log, for a range of days. */
export function readAuditLog({ from, to, ...search }: AuditSearch, signal?: AbortSignal): Promise<ListPage<AuditEntry>> {
  return readEntriesOf({ ...search, from: startOf(from), to: startOf(to, 1) } as AuditQuery, signal);
}

/** One page of the audit log, between two times; numbers are spelled as received. */
export function readEntriesOf(query: AuditQuery, signal?: AbortSignal): Promise<ListPage<AuditEntry>> {
  return exactly(api.GET('/api/v1/audit-log', { params: { query }, parseAs: 'text', signal }));
}
