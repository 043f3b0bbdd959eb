import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';

interface Props {
  label: string;
  /** What the address says. */
  value: string | undefined;
  /** Called once the typing rests; undefined for nothing. */
  onChange: (value: string | undefined) => void;
  icon?: ReactNode;
  className?: string;
}

const pause = 250;

/** A filter that is typed. It follows the address, but never takes back what is being typed. */
export function FilterText({ label, value = '', onChange, icon, className }: Props) {
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
    onChange(typed === '' ? undefined : typed);
  }, pause);
  return (
    <TextInput
      className={className}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={icon}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
    />
  );
}
