import { Stack, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { MoneyInput } from '@/ui/MoneyInput';
import type { ItemFields } from './fields';
import { itemMessages } from './messages';

interface Props {
  value: ItemFields;
  onChange: (change: Partial<ItemFields>) => void;
  /** Says what is missing, once somebody tried to save. */
  strict: boolean;
  readOnly?: boolean;
}

export const isComplete = ({ name, price }: ItemFields): boolean => name.trim() !== '' && price !== null;

/** The inputs of an item. */
export function ItemInputs({ value, onChange, strict, readOnly = false }: Props) {
  const t = useText(itemMessages);
  return (
    <Stack gap="md">
      <TextInput
        label={t('name')}
        maxLength={200}
        readOnly={readOnly}
        value={value.name}
        error={strict && value.name.trim() === '' && t('nameNeeded')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <MoneyInput
        label={t('price')}
        readOnly={readOnly}
        minor={value.price}
        error={strict && value.price === null && t('priceNeeded')}
        onMinor={(price) => onChange({ price })}
      />
      <TextInput
        label={t('owner')}
        readOnly={readOnly}
        maxLength={64}
        value={value.ownedByUserId ?? ''}
        onChange={(event) => onChange({ ownedByUserId: event.currentTarget.value.trim() || null })}
      />
    </Stack>
  );
}
