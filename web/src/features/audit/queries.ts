import { resource, type components } from '@/api';
import { inTimes, type TableSearch } from '@/ui/table';

export type AuditEntry = components['schemas']['AuditEntry'];

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

/** Numbers in entries retain all digits. */
export const { list: readEntriesOf } = resource('/api/v1/audit-log', { exact: true });

/** One page of the audit log, for a range of days. */
export const readAuditLog = (search: AuditSearch, signal?: AbortSignal) => readEntriesOf(inTimes(search), signal);
