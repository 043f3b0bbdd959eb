import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Stock = components['schemas']['Inventory'];
export type Movement = components['schemas']['InventoryMovement'];
export type Adjustment = components['schemas']['InventoryAdjustment'];
export type StockChanged = components['schemas']['InventoryChanged'];
export type Shortages = components['schemas']['InsufficientStock'];
export type UsedReference = components['schemas']['MovementMismatch'];

export interface StockSearch extends TableSearch {
  /** The maximum available quantity. */
  maxAvailable?: number;
}

export interface MovementSearch extends TableSearch {
  reference?: string;
}

/** The order with the lowest stock first. */
export const lowFirst = 'available';

const inventory = resource('/api/v1/inventory');
export const { list: readStocks, read: readStock, one: oneStock } = inventory;

export const readMovements = (sku: string, search: MovementSearch, signal?: AbortSignal) => inventory.part(sku, 'movements', search, signal);

export const adjust = (sku: string, body: Adjustment, key: string) => inventory.act(sku, 'adjustments', { body, key });
