import { NumberInput, type NumberInputProps } from '@mantine/core';

interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number | null;
  onChange: (whole: number | null) => void;
}

/** An input for a positive integer, which can be empty: a count, or the id of a user. */
export function WholeInput({ value, onChange, ...input }: Props) {
  return (
    <NumberInput
      {...input}
      hideControls
      min={1}
      allowDecimal={false}
      allowNegative={false}
      value={value ?? ''}
      onChange={(typed) => onChange(typeof typed === 'number' && typed > 0 && Number.isSafeInteger(typed) ? typed : null)}
    />
  );
}
