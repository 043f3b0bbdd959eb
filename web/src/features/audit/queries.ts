import { api, data, type components, type operations } from '@/api';
import { startOf, type TableSearch } from '@/ui/table';

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
}

/** One page of the audit log. */
export function readAuditLog({ from, to, ...search }: AuditSearch, signal?: AbortSignal) {
  const query = { ...search, from: startOf(from), to: startOf(to, 1) } as AuditQuery;
  return data(api.GET('/api/v1/audit-log', { params: { query }, signal }));
}
