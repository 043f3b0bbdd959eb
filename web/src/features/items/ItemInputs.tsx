import { Stack, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { useFieldErrorText } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import type { ItemFields } from './fields';
import { itemMessages } from './messages';

interface Props {
  value: ItemFields;
  onChange: (change: Partial<ItemFields>) => void;
  /** Whether to show missing inputs: the user has tried to save. */
  strict: boolean;
  /** The rejection, which may concern a field. */
  error: Error | null;
  readOnly?: boolean;
}

export const isComplete = ({ name, price }: ItemFields): boolean => name.trim() !== '' && price !== null;

/** Whether a pointer of the request has an input. */
export const isItemInput = (pointer: string): boolean => ['/name', '/price', '/ownedByUserId'].includes(pointer);

export function ItemInputs({ value, onChange, strict, error, readOnly = false }: Props) {
  const t = useText(itemMessages);
  const rejected = useFieldErrorText(error);
  return (
    <Stack gap="md">
      <TextInput
        label={t('name')}
        maxLength={200}
        data-field="name"
        readOnly={readOnly}
        value={value.name}
        error={strict && value.name.trim() === '' ? t('nameNeeded') : rejected('/name')}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <MoneyInput
        label={t('price')}
        data-field="price"
        readOnly={readOnly}
        minor={value.price}
        error={strict && value.price === null ? t('priceNeeded') : rejected('/price')}
        onMinor={(price) => onChange({ price })}
      />
      <TextInput
        label={t('owner')}
        maxLength={64}
        data-field="ownedByUserId"
        readOnly={readOnly}
        value={value.ownedByUserId ?? ''}
        error={rejected('/ownedByUserId')}
        onChange={(event) => onChange({ ownedByUserId: event.currentTarget.value.trim() || null })}
      />
    </Stack>
  );
}
