import { Button, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import { nextAfter, useCounts, type Count } from './count';
import { EventInputs } from './EventInputs';
import { ledgerMessages } from './messages';
import { maxEvents, newEvent, nextSequence, type EventForm, type RecordingForm } from './recording';

interface Props {
  form: RecordingForm;
  /** The existing counters. */
  counters: string[];
  /** The highest sequence number of the writer; undefined if it has none. */
  highest: Count | undefined;
  disabled: boolean;
  /** Returns the error of an input: a local one, or the one that the service reported for the JSON Pointer. */
  errorOf: (place: string, pointer?: string) => string | undefined;
  onChange: (part: Partial<RecordingForm>) => void;
}

/** The events to record, in order. */
export function EventList({ form, counters, highest, disabled, errorOf, onChange }: Props) {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const { events, naming } = form;
  const set = (at: number, part: Partial<EventForm>) => onChange({ events: events.map((event, i) => (i === at ? { ...event, ...part } : event)) });
  const add = () =>
    onChange({ events: [...events, newEvent(naming === 'sequence' ? nextSequence(events, nextAfter(highest)) : '', events.at(-1)?.deltas[0]?.counter)] });
  return (
    <>
      {naming === 'sequence' && highest !== undefined && (
        <Text size="sm" c="dimmed">
          {t('highest', { highest: number(highest) })}
        </Text>
      )}
      {events.map((event, i) => (
        <EventInputs
          key={event.row}
          event={event}
          index={i}
          naming={naming}
          counters={counters}
          disabled={disabled}
          errorOf={errorOf}
          remove={events.length > 1 ? () => onChange({ events: events.filter((_, at) => at !== i) }) : undefined}
          onChange={(part) => set(i, part)}
        />
      ))}
      <div>
        <Button size="xs" leftSection={<Icon name="plus" />} disabled={disabled || events.length >= maxEvents} onClick={add}>
          {t('addEvent')}
        </Button>
      </div>
    </>
  );
}
