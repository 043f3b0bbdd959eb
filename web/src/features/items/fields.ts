import { useFormat, useText } from '@/i18n';
import { fieldsOf, labelsOf, type FieldTexts, type Labels } from '@/ui';
import { itemMessages } from './messages';
import type { Item } from './queries';
import type { Contents } from '@/features/descriptor';
import { itemResource } from './resource';

/** The editable members of an item; the price is null while its input is invalid. */
export type ItemFields = {
  name: string;
  price: number | null;
  ownedByUserId: string | null;
};

export const blankItem: ItemFields = { name: '', price: null, ownedByUserId: null };

export const readFields = ({ name, price, ownedByUserId }: Pick<Item, 'name' | 'price' | 'ownedByUserId'>): ItemFields => ({ name, price, ownedByUserId });

export const formOf = fieldsOf(blankItem);

/** The labels and values of an item's fields, including the status, which only appears in the history. */
export function useItemLabels(): Labels {
  const t = useText(itemMessages);
  const { money } = useFormat();
  const texts: FieldTexts<ItemFields & { status: string }> = {
    name: { label: t('name'), show: (name) => name },
    price: { label: t('price'), show: money },
    ownedByUserId: { label: t('owner'), show: String },
    status: { label: t('status'), show: (status) => t(status === 'archived' ? 'archived' : 'active') },
  };
  return labelsOf(texts);
}

/** The content in the audit log. */
export const itemContents: Contents = { noun: itemResource.noun, useLabels: useItemLabels };
