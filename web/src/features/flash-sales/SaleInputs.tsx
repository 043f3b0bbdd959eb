import { SimpleGrid, Stack, TextInput, type InputWrapperProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ItemPicker } from '@/features/items/ItemPicker';
import { oneItem } from '@/features/items/queries';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { TimeInput } from '@/ui/TimeInput';
import { WholeInput } from '@/ui/WholeInput';
import { faultsOf, saleFields, type SaleField, type SaleFields } from './fields';
import { saleMessages } from './messages';

interface Props {
  value: SaleFields;
  onChange: (change: Partial<SaleFields>) => void;
  /** The fault of a field; undefined before the first attempt to save. */
  errorOf: (field: SaleField) => string | undefined;
  /** The displayed fields; the others stay unchanged. */
  fields?: readonly SaleField[];
  readOnly?: boolean;
}

const maxNameLength = 100;
/** Adjacent inputs align, with or without a hint. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];

/** The faults of the displayed inputs of a sale. */
export function useSaleFaults(form: { strict: boolean; error: Error | null }, value: SaleFields, fields: readonly SaleField[]) {
  const t = useText(saleMessages);
  const faults = faultsOf(value);
  return useFaults(form, fields, (field) => faults[field] !== undefined && t(faults[field]));
}

/** The inputs of a sale's terms. */
export function SaleInputs({ value, onChange, errorOf, fields = saleFields, readOnly = false }: Props) {
  const t = useText(saleMessages);
  const shown = new Set(fields);
  const common = { readOnly, inputWrapperOrder: hintBelow };
  const time = (field: 'startsTime' | 'endsTime') =>
    shown.has(field) && (
      <TimeInput
        readOnly={readOnly}
        data-field={field}
        label={t(field)}
        time={value[field]}
        error={errorOf(field)}
        onTime={(typed) => onChange({ [field]: typed })}
      />
    );
  const count = (
    field: 'quantity' | 'perUserLimit' | 'queueCap' | 'rate' | 'replicas',
    hint: 'quantityHint' | 'limitHint' | 'queueCapHint' | 'rateHint' | 'replicasHint',
  ) =>
    shown.has(field) && (
      <WholeInput
        {...common}
        data-field={field}
        label={t(field)}
        description={t(hint)}
        thousandSeparator=","
        value={value[field]}
        error={errorOf(field)}
        onChange={(typed) => onChange({ [field]: typed })}
      />
    );
  return (
    <Stack gap="md">
      {shown.has('name') && (
        <TextInput
          {...common}
          label={t('name')}
          maxLength={maxNameLength}
          value={value.name}
          error={errorOf('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          data-autofocus
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {shown.has('sku') && <ItemInput sku={value.sku} error={errorOf('sku')} readOnly={readOnly} onSku={(sku) => onChange({ sku })} />}
        {shown.has('price') && (
          <MoneyInput
            {...common}
            label={t('price')}
            description={t('priceHint')}
            minor={value.price}
            error={errorOf('price')}
            onMinor={(price) => onChange({ price })}
          />
        )}
        {count('quantity', 'quantityHint')}
        {count('perUserLimit', 'limitHint')}
        {time('startsTime')}
        {time('endsTime')}
        {count('queueCap', 'queueCapHint')}
        {count('rate', 'rateHint')}
        {count('replicas', 'replicasHint')}
      </SimpleGrid>
    </Stack>
  );
}

interface ItemProps {
  sku: string;
  error: string | undefined;
  readOnly: boolean;
  onSku: (sku: string) => void;
}

function ItemInput({ sku, error, readOnly, onSku }: ItemProps) {
  const t = useText(saleMessages);
  const [isTyping, setTyping] = useState(false);
  const { data: item } = useQuery({ ...oneItem(sku.trim()), enabled: !isTyping && sku.trim() !== '' });
  return (
    <ItemPicker label={t('item')} sku={sku} error={error} description={item?.name ?? t('itemHint')} readOnly={readOnly} onChange={onSku} onTyping={setTyping} />
  );
}
