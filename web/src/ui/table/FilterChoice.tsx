import { NativeSelect } from '@mantine/core';

interface Props<V extends string> {
  label: string;
  /** What stands for no choice. */
  any: string;
  options: readonly { value: V; label: string }[];
  /** What the address says. */
  value: V | undefined;
  onChange: (value: V | undefined) => void;
}

/** A filter of which one can be chosen, or none. */
export function FilterChoice<V extends string>({ label, any, options, value, onChange }: Props<V>) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ''}
      data={[{ value: '', label: any }, ...options]}
      onChange={(event) => onChange(options.find((option) => option.value === event.currentTarget.value)?.value)}
    />
  );
}
