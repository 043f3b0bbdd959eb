import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { tableMessages, type FilterName } from './messages';
import { aText, type Reader, type TableSearch } from './search';
import type { TableState } from './useTableState';

interface Props<S extends TableSearch> {
  state: TableState<S>;
  /** The filter's name in the address. */
  name: keyof S & FilterName;
  label: string;
}

interface TextProps<S extends TableSearch> extends Props<S> {
  read?: Reader<unknown>;
  icon?: ReactNode;
  className?: string;
}

/** The debounce delay of typed filters, in ms. */
const pause = 250;

/**
 * A text filter. It displays the value in the URL, but never overwrites text that is being typed.
 * For an invalid value it shows an error, and the list is not fetched.
 */
export function FilterText<S extends TableSearch>({ state, name, label, read = aText, icon, className }: TextProps<S>) {
  const t = useText(tableMessages);
  const { value, isFaulty, change } = state.text(name, read);
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [applied, setApplied] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== applied) {
      setApplied(value);
      setText(value);
    }
  }
  const apply = useDebouncedCallback((typed: string) => {
    setApplied(typed);
    change(typed === '' ? undefined : typed);
  }, pause);
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={icon}
      value={text}
      error={isFaulty && t('cannotRead')}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
    />
  );
}

interface ChoiceProps<S extends TableSearch> extends Props<S> {
  /** The label for no choice. */
  any: string;
  options: readonly { value: string; label: string }[];
  read?: Reader<unknown>;
}

/** A filter for which the user can select one value. */
export function FilterChoice<S extends TableSearch>({ state, name, label, any, options, read = aText }: ChoiceProps<S>) {
  const t = useText(tableMessages);
  const { value, isFaulty, change } = state.text(name, read);
  const unlisted = value === '' || options.some((option) => option.value === value) ? [] : [{ value, label: isFaulty ? value : `#${value}` }];
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      error={isFaulty && t('cannotRead')}
      data={[{ value: '', label: any }, ...options, ...unlisted]}
      onChange={(event) => change(event.currentTarget.value || undefined)}
    />
  );
}

interface DayProps<S extends TableSearch> extends Props<S> {
  read: Reader<unknown>;
  mark: string;
  /** The day that is displayed while none is chosen. */
  standard?: string;
}

/** A filter for a day, in the browser's zone. */
export function FilterDay<S extends TableSearch>({ state, name, label, read, mark, standard = '' }: DayProps<S>) {
  const t = useText(tableMessages);
  const { value, isFaulty, change } = state.text(name, read);
  return (
    <TextInput
      type={isFaulty ? 'search' : 'date'}
      aria-label={label}
      title={label}
      leftSection={mark}
      leftSectionWidth={52}
      value={value || standard}
      error={isFaulty && t('cannotRead')}
      onChange={(event) => change(event.currentTarget.value || undefined)}
    />
  );
}
