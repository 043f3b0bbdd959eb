import { useFormat, useText } from '@/i18n';
import type { FieldTexts } from '@/ui/edit/fields';
import { itemMessages } from './messages';
import type { Item } from './queries';

/** What of an item is edited in its form; a price that is being typed may be none. */
export type ItemFields = {
  name: string;
  price: number | null;
  ownedByUserId: string | null;
};

export const readFields = ({ name, price, ownedByUserId }: Pick<Item, 'name' | 'price' | 'ownedByUserId'>): ItemFields => ({ name, price, ownedByUserId });

/** The same with the status, which has its own buttons, for the history. */
export function useRevisionTexts() {
  const t = useText(itemMessages);
  return { ...useItemTexts(), status: { label: t('status'), show: ({ status }: { status?: string | number | null }) => t(status === 'archived' ? 'archived' : 'active') } };
}

export function useItemTexts(): FieldTexts<ItemFields> {
  const t = useText(itemMessages);
  const { money } = useFormat();
  return {
    name: { label: t('name'), show: ({ name }) => name },
    price: { label: t('price'), show: ({ price }) => (price === null ? '' : money(price)) },
    ownedByUserId: { label: t('owner'), show: ({ ownedByUserId }) => (ownedByUserId === null ? t('nobody') : ownedByUserId) },
  };
}
