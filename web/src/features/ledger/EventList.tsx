import { Button, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import { freeAfter, useCounts, type Count } from './count';
import { EventInputs } from './EventInputs';
import { ledgerMessages } from './messages';
import { mostEvents, newEvent, nextSequence, type EventForm, type RecordingForm } from './recording';

interface Props {
  form: RecordingForm;
  /** The counters that there are. */
  counters: string[];
  /** The highest sequence of the writer; undefined for one that has none. */
  highest: Count | undefined;
  disabled: boolean;
  /** What is wrong with a place of the form, or with the place of the request that it goes to. */
  wrong: (place: string, pointer?: string) => string | undefined;
  onChange: (part: Partial<RecordingForm>) => void;
}

/** The events to record, in their order. */
export function EventList({ form, counters, highest, disabled, wrong, onChange }: Props) {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const { events, naming } = form;
  const set = (at: number, part: Partial<EventForm>) => onChange({ events: events.map((event, i) => (i === at ? { ...event, ...part } : event)) });
  const add = () =>
    onChange({ events: [...events, newEvent(naming === 'sequence' ? nextSequence(events, freeAfter(highest)) : '', events.at(-1)?.deltas[0]?.counter)] });
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
          wrong={wrong}
          remove={events.length > 1 ? () => onChange({ events: events.filter((_, at) => at !== i) }) : undefined}
          onChange={(part) => set(i, part)}
        />
      ))}
      <div>
        <Button size="xs" leftSection={<Icon name="plus" />} disabled={disabled || events.length >= mostEvents} onClick={add}>
          {t('addEvent')}
        </Button>
      </div>
    </>
  );
}
