import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** In minor units; null while nothing valid is typed. */
  minor: number | null;
  onMinor: (minor: number | null) => void;
}

/** An amount as it is typed, "19.90", for an amount as it is kept, 1990. */
export function MoneyInput({ minor, onMinor, ...input }: Props) {
  const [text, setText] = useState(() => spell(minor));
  const [seen, setSeen] = useState(minor);
  if (minor !== seen) {
    setSeen(minor);
    if (minor !== minorOf(text)) setText(spell(minor));
  }
  return (
    <TextInput
      {...input}
      inputMode="decimal"
      autoComplete="off"
      leftSection={<span aria-hidden="true">¥</span>}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onMinor(minorOf(event.currentTarget.value));
      }}
    />
  );
}

const shape = /^(\d{1,13})(?:\.(\d{0,2}))?$/;

/** Reads an amount without floats; null when it is none. */
export function minorOf(text: string): number | null {
  const [, whole, cents = ''] = shape.exec(text.trim()) ?? [];
  return whole === undefined ? null : Number(whole) * 100 + Number(cents.padEnd(2, '0'));
}

function spell(minor: number | null): string {
  return minor === null ? '' : `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`;
}
