import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import styles from './PlaceOrder.module.css';
import { placeMessages } from './messages';
import { itemsLike } from './queries';

const pause = 150;

interface Props {
  label: string;
  sku: string;
  onChange: (sku: string) => void;
  /** True while somebody types, so that half a sku is not looked up. */
  onTyping: (isTyping: boolean) => void;
  error: ReactNode;
  description: ReactNode;
  disabled: boolean;
}

/** Takes an item by its sku, or by what its name begins with. */
export function ItemPicker({ label, sku, onChange, onTyping, error, description, disabled }: Props) {
  const t = useText(placeMessages);
  const { money } = useFormat();
  const [isHere, setHere] = useState(false);
  const [settled] = useDebouncedValue(sku.trim(), pause);
  const { data: items = [] } = useQuery({ ...itemsLike(settled), enabled: isHere });
  const bySku = new Map(items.map((item) => [item.sku, item]));
  return (
    <Autocomplete
      label={label}
      placeholder={t('itemHint')}
      classNames={{ input: 'mono' }}
      data={[...bySku.keys()]}
      filter={({ options }) => options}
      renderOption={({ option: { value } }) => {
        const item = bySku.get(value);
        return (
          <span className={styles.option}>
            <span className="mono">{value}</span>
            <span className={styles.optionName}>{item?.name}</span>
            <span className="tabular">{item !== undefined && money(item.price)}</span>
          </span>
        );
      }}
      comboboxProps={{ withinPortal: true }}
      maxLength={64}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={sku}
      error={error}
      description={description}
      disabled={disabled}
      onChange={(text) => {
        onTyping(!bySku.has(text));
        onChange(text);
      }}
      onFocus={() => setHere(true)}
      onBlur={() => {
        setHere(false);
        onTyping(false);
      }}
    />
  );
}
