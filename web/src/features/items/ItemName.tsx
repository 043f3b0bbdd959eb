import { useQuery } from '@tanstack/react-query';
import { oneItem } from './queries';

/** The name of an item. The list of stocks loads it afterwards, in a separate request per item. */
export function ItemName({ sku }: { sku: string }) {
  return useQuery(oneItem(sku)).data?.name;
}
