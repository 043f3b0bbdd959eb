import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Money } from '@/ui';
import styles from './ItemPicker.module.css';
import { itemMessages } from './messages';
import { itemsForSale } from './queries';

const pause = 150;

interface Props {
  label: string;
  sku: string;
  onChange: (sku: string) => void;
  /** Called with true while the user types, so that a partial SKU is not looked up. */
  onTyping?: (isTyping: boolean) => void;
  error: ReactNode;
  description: ReactNode;
  disabled?: boolean;
  readOnly?: boolean;
}

/** Selects an active item by SKU or by the start of its name. */
export function ItemPicker({ sku, onChange, onTyping, ...input }: Props) {
  const t = useText(itemMessages);
  const [isHere, setHere] = useState(false);
  const [settled] = useDebouncedValue(sku.trim(), pause);
  const { data } = useQuery({ ...itemsForSale(settled), enabled: isHere });
  const mayCreate = useMay()('items:write');
  const items = data ?? [];
  const isEmpty = data?.length === 0 && !input.readOnly && !input.disabled;
  const bySku = new Map(items.map((item) => [item.sku, item]));
  return (
    <Autocomplete
      {...input}
      description={
        isEmpty && mayCreate ? (
          <>
            {t('noneForSale')}{' '}
            <Link to="/items" search={{ create: true }}>
              {t('createOne')}
            </Link>
          </>
        ) : (
          input.description
        )
      }
      placeholder={t('pickHint')}
      classNames={{ input: 'mono' }}
      data={[...bySku.keys()]}
      // The service has already filtered, also by name.
      filter={({ options }) => options}
      renderOption={({ option: { value } }) => {
        const item = bySku.get(value);
        return (
          <span className={styles.option}>
            <span className="mono">{value}</span>
            <span className={styles.name}>{item?.name}</span>
            {item !== undefined && <Money minor={item.price} />}
          </span>
        );
      }}
      // The options belong to the dialog of the input.
      comboboxProps={{ withinPortal: false }}
      maxLength={64}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      value={sku}
      onChange={(text) => {
        onTyping?.(!bySku.has(text));
        onChange(text);
      }}
      onFocus={() => setHere(true)}
      onBlur={() => {
        setHere(false);
        onTyping?.(false);
      }}
    />
  );
}
