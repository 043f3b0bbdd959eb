import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { useFormat } from '@/i18n';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The amount in minor units; null while the input is invalid. */
  minor: number | null;
  onMinor: (minor: number | null) => void;
}

/** An input for an amount with the decimals of the currency: for the text "19.90" the value is 1990. */
export function MoneyInput({ minor, onMinor, ...input }: Props) {
  const { plainMoney, minorDigits, currencySign } = useFormat();
  const spell = (amount: number | null) => (amount === null ? '' : plainMoney(amount));
  const [text, setText] = useState(() => spell(minor));
  const [seen, setSeen] = useState(minor);
  if (minor !== seen) {
    setSeen(minor);
    if (minor !== minorOf(text, minorDigits)) setText(spell(minor));
  }
  return (
    <TextInput
      {...input}
      inputMode="decimal"
      autoComplete="off"
      leftSection={<span aria-hidden="true">{currencySign}</span>}
      leftSectionWidth={currencySign.length > 1 ? 52 : undefined}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onMinor(minorOf(event.currentTarget.value, minorDigits));
      }}
    />
  );
}

const shape = /^(\d{1,12})(?:\.(\d*))?$/;

/** Parses an amount without floats; null if it is invalid or has more decimals than the currency. */
export function minorOf(text: string, digits: number): number | null {
  const [, whole, rest = ''] = shape.exec(text.trim()) ?? [];
  return whole === undefined || rest.length > digits ? null : Number(whole + rest.padEnd(digits, '0'));
}
