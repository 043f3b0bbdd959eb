import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, data, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type AuditEntry = components['schemas']['AuditEntry'];
type AuditQuery = NonNullable<operations['listAuditLog']['parameters']['query']>;

export interface AuditSearch extends Omit<TableSearch, 'q'> {
  resource?: string;
  actor?: string;
  action?: string;
}

/** One page of the audit log. */
export function readAuditLog(search: AuditSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/audit-log', { params: { query: search as AuditQuery }, signal }));
}

export function auditLog(search: AuditSearch) {
  return queryOptions({
    queryKey: ['audit-log', 'list', search],
    queryFn: ({ signal }) => readAuditLog(search, signal),
    placeholderData: keepPreviousData,
  });
}
