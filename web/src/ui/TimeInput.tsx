import { TextInput, type TextInputProps } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { uiMessages } from './messages';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** As the service spells it; null while none is typed. */
  time: string | null;
  onTime: (time: string | null) => void;
}

/** A day and a time where the browser is; says which zone that is. */
export function TimeInput({ time, onTime, ...input }: Props) {
  const t = useText(uiMessages);
  const { zone } = useFormat();
  return (
    <TextInput
      {...input}
      type="datetime-local"
      description={t('zone', { zone })}
      // Inputs side by side stand on one line, whether they have a hint or not.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={time === null ? '' : toLocal(time)}
      onChange={(event) => onTime(fromLocal(event.currentTarget.value))}
    />
  );
}

/** A time as such an input shows it; seconds only where there are some. */
export function toLocal(time: string): string {
  const at = new Date(time);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const minute = `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.getSeconds() === 0 ? minute : `${minute}:${two(at.getSeconds())}`;
}

/** The time that was typed; null while there is none. */
export function fromLocal(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
