import { Autocomplete, NumberInput, SimpleGrid, Stack, TextInput, type InputWrapperProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { fromLocal, toLocal } from '@/features/campaigns/localTime';
import { useText } from '@/i18n';
import { Money } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import type { Faults, SaleField, SaleFields } from './fields';
import { saleMessages } from './messages';
import { itemsForSale } from './queries';

interface Props {
  value: SaleFields;
  onChange: (change: Partial<SaleFields>) => void;
  /** What to say of the fields; nothing before somebody tried to save. */
  faults: Faults;
  /** The fields to show; the others stay as they are. */
  fields?: readonly SaleField[];
  readOnly?: boolean;
}

const longestName = 100;
const longestSku = 64;
/** Inputs side by side stand on one line, whether they have a hint or not. */
const hintBelow: InputWrapperProps['inputWrapperOrder'] = ['label', 'input', 'description', 'error'];
const all: readonly SaleField[] = ['name', 'sku', 'price', 'quantity', 'perUserLimit', 'startsTime', 'endsTime', 'queueCap', 'rate'];

/** The inputs of a sale's terms. */
export function SaleInputs({ value, onChange, faults, fields = all, readOnly = false }: Props) {
  const t = useText(saleMessages);
  const shown = new Set(fields);
  const fault = (field: SaleField) => faults[field] !== undefined && t(faults[field]);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const common = { readOnly, inputWrapperOrder: hintBelow };
  const time = (field: 'startsTime' | 'endsTime') =>
    shown.has(field) && (
      <TextInput
        {...common}
        type="datetime-local"
        label={t(field)}
        description={t('zone', { zone })}
        value={value[field] === null ? '' : toLocal(value[field])}
        error={fault(field)}
        onChange={(event) => onChange({ [field]: fromLocal(event.currentTarget.value) })}
      />
    );
  const count = (field: 'quantity' | 'perUserLimit' | 'queueCap' | 'rate', hint: 'quantityHint' | 'limitHint' | 'queueCapHint' | 'rateHint') =>
    shown.has(field) && (
      <NumberInput
        {...common}
        label={t(field)}
        description={t(hint)}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator=","
        value={value[field] ?? ''}
        error={fault(field)}
        onChange={(typed) => onChange({ [field]: wholeOf(typed) })}
      />
    );
  return (
    <Stack gap="md">
      {shown.has('name') && (
        <TextInput
          {...common}
          label={t('name')}
          maxLength={longestName}
          value={value.name}
          error={fault('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          data-autofocus
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {shown.has('sku') && <ItemInput sku={value.sku} error={fault('sku')} readOnly={readOnly} onSku={(sku) => onChange({ sku })} />}
        {shown.has('price') && (
          <MoneyInput
            {...common}
            label={t('price')}
            description={t('priceHint')}
            minor={value.price}
            error={fault('price')}
            onMinor={(price) => onChange({ price })}
          />
        )}
        {count('quantity', 'quantityHint')}
        {count('perUserLimit', 'limitHint')}
        {time('startsTime')}
        {time('endsTime')}
        {count('queueCap', 'queueCapHint')}
        {count('rate', 'rateHint')}
      </SimpleGrid>
    </Stack>
  );
}

interface ItemProps {
  sku: string;
  error: string | false;
  readOnly: boolean;
  onSku: (sku: string) => void;
}

const pause = 250;

/** The sku of an item, looked for while it is typed. */
function ItemInput({ sku, error, readOnly, onSku }: ItemProps) {
  const t = useText(saleMessages);
  const [words] = useDebouncedValue(sku.trim(), pause);
  const { data } = useQuery(itemsForSale(words));
  const items = new Map(data?.items.map((item) => [item.sku, item]));
  return (
    <Autocomplete
      label={t('item')}
      description={items.get(sku)?.name ?? t(words !== '' && data?.total === 0 ? 'itemNone' : 'itemHint')}
      inputWrapperOrder={hintBelow}
      readOnly={readOnly}
      maxLength={longestSku}
      classNames={{ input: 'mono' }}
      value={sku}
      error={error}
      // The service has looked already, in names too.
      filter={({ options }) => options}
      data={[...items.keys()]}
      renderOption={({ option }) => {
        const item = items.get(option.value);
        return (
          <span>
            <span className="mono">{option.value}</span> {item?.name} {item !== undefined && <Money minor={item.price} />}
          </span>
        );
      }}
      onChange={onSku}
    />
  );
}

const wholeOf = (typed: string | number): number | null => (typed === '' || !Number.isSafeInteger(Number(typed)) ? null : Number(typed));
