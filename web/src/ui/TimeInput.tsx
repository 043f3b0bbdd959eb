import { TextInput, type TextInputProps } from '@mantine/core';
import { useFormat, useText, useTimeStyle } from '@/i18n';
import { uiMessages } from './messages';

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The time in RFC 3339; null while the input is empty. */
  time: string | null;
  onTime: (time: string | null) => void;
}

/** An input for a day and a time in the displayed zone. The zone is named below the input. */
export function TimeInput({ time, onTime, ...input }: Props) {
  const t = useText(uiMessages);
  const { zone } = useFormat();
  const isUtc = useTimeStyle() === 'utc';
  return (
    <TextInput
      {...input}
      type="datetime-local"
      description={t('zone', { zone })}
      // Adjacent inputs align, with or without a hint.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={time === null ? '' : toLocal(time, isUtc)}
      onChange={(event) => onTime(fromLocal(event.currentTarget.value, isUtc))}
    />
  );
}

/** Formats a time for the input, in UTC or in the zone of the browser. Seconds are included if they are not zero. */
export function toLocal(time: string, isUtc: boolean): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  // After the shift by the offset, the UTC digits are the digits in the zone.
  const shown = new Date(isUtc ? at : at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return shown.slice(0, at.getUTCSeconds() === 0 ? 'yyyy-mm-ddThh:mm'.length : 'yyyy-mm-ddThh:mm:ss'.length);
}

/** Parses the text of the input, in UTC or in the zone of the browser; null if it is empty. */
export function fromLocal(text: string, isUtc: boolean): string | null {
  const at = new Date(isUtc ? `${text}Z` : text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
