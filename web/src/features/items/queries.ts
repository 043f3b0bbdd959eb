import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { resource, type components } from '@/api';
import type { TableSearch } from '@/ui/table';

export type Item = components['schemas']['Item'];
export type ItemStatus = components['schemas']['ItemStatus'];
export type NewItem = components['schemas']['ItemCreate'];

export interface ItemSearch extends TableSearch {
  status?: ItemStatus;
  /** Opens the dialog for a new item. */
  create?: true;
}

export const {
  list: readItems,
  read: readItem,
  one: oneItem,
  history: itemHistory,
  create: createItem,
  edit: editItem,
  remove: deleteItem,
} = resource('/api/v1/items');

const offered = 8;

/** Active items with a SKU or a name that starts with a text. */
export function itemsForSale(text: string) {
  return queryOptions({
    queryKey: ['items', 'list', 'for sale', text],
    queryFn: async ({ signal }) => (await readItems({ q: text === '' ? undefined : text, status: 'active', limit: offered }, signal)).items,
    placeholderData: keepPreviousData,
  });
}
