import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type IdempotencyKey = components['schemas']['IdempotencyKey'];

export interface KeySearch extends TableSearch {
  /** An exact key, which can belong to any user. */
  key?: string;
  /** The HTTP status of the reply. */
  status?: number;
  /** The id of the open key. */
  open?: number;
}

/** The stored idempotency keys. */
export const { list: readKeys, one: oneKey } = resource('/api/v1/idempotency-keys');
