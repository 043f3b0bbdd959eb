import { queryOptions } from '@tanstack/react-query';
import { api, data, idempotent, type components, type operations } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Stock = components['schemas']['Inventory'];
export type Movement = components['schemas']['InventoryMovement'];
export type Adjustment = components['schemas']['InventoryAdjustment'];
export type StockChanged = components['schemas']['InventoryChanged'];
export type Shortages = components['schemas']['InsufficientStock'];
export type UsedReference = components['schemas']['MovementMismatch'];
type StockQuery = NonNullable<operations['listInventory']['parameters']['query']>;
type MovementQuery = NonNullable<operations['listInventoryMovements']['parameters']['query']>;

export interface StockSearch extends TableSearch {
  /** The maximum available quantity. */
  maxAvailable?: number;
}

export interface MovementSearch extends TableSearch {
  reference?: string;
}

/** Lowest stock first. */
export const lowFirst = 'available';

export function readStocks(search: StockSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/inventory', { params: { query: search as StockQuery }, signal }));
}

export function readStock(sku: string, signal?: AbortSignal) {
  return data(api.GET('/api/v1/inventory/{sku}', { params: { path: { sku } }, signal }));
}

export function oneStock(sku: string) {
  return queryOptions({ queryKey: ['inventory', 'one', sku], queryFn: ({ signal }) => readStock(sku, signal) });
}

export function readMovements(sku: string, search: MovementSearch, signal?: AbortSignal) {
  return data(api.GET('/api/v1/inventory/{sku}/movements', { params: { path: { sku }, query: search as MovementQuery }, signal }));
}

export function adjust(sku: string, body: Adjustment, key: string): Promise<Movement> {
  return data(api.POST('/api/v1/inventory/{sku}/adjustments', { params: { path: { sku } }, body, headers: idempotent(key) }));
}
