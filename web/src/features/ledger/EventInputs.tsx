import { ActionIcon, Autocomplete, Button, Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import styles from './Record.module.css';
import { ledgerMessages } from './messages';
import { newDelta, type DeltaForm, type EventForm, type RecordingForm } from './recording';

interface Props {
  event: EventForm;
  /** The index of the event in the request, from 0. */
  index: number;
  naming: RecordingForm['naming'];
  /** The existing counters. */
  counters: string[];
  disabled: boolean;
  /** Returns the error of an input: a local one, or the one that the service reported for the JSON Pointer. */
  errorOf: (place: string, pointer?: string) => string | undefined;
  /** Removes the event; undefined for the only one. */
  remove: (() => void) | undefined;
  onChange: (part: Partial<EventForm>) => void;
}

export function EventInputs({ event, index, naming, counters, disabled, errorOf, remove, onChange }: Props) {
  const t = useText(ledgerMessages);
  const at = (member: string) => errorOf(`/events/${index}/${member}`);
  const mono = { input: 'mono' };
  return (
    <fieldset className={styles.event} disabled={disabled}>
      <legend className={styles.legend}>{t('nth', { n: index + 1 })}</legend>
      {remove !== undefined && (
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          className={styles.remove}
          aria-label={t('removeNth', { n: index + 1 })}
          title={t('removeNth', { n: index + 1 })}
          onClick={remove}
        >
          <Icon name="cross" />
        </ActionIcon>
      )}
      <div className={styles.pair}>
        <TextInput
          label={t('eventType')}
          classNames={mono}
          value={event.eventType}
          error={at('eventType')}
          onChange={({ currentTarget: { value } }) => onChange({ eventType: value.trim() })}
        />
        {naming === 'eventId' ? (
          <TextInput
            label={t('eventId')}
            classNames={mono}
            maxLength={128}
            value={event.eventId}
            error={at('eventId')}
            onChange={({ currentTarget: { value } }) => onChange({ eventId: value })}
          />
        ) : (
          <TextInput
            label={t('sequence')}
            classNames={mono}
            inputMode="numeric"
            maxLength={20}
            value={event.clientSeq}
            error={at('clientSeq')}
            onChange={({ currentTarget: { value } }) => onChange({ clientSeq: value.trim() })}
          />
        )}
      </div>
      <Deltas event={event} index={index} counters={counters} disabled={disabled} errorOf={errorOf} onChange={onChange} />
      <div className={styles.pair}>
        <TimeInput step={1} label={t('time')} time={event.eventTime} error={at('eventTime')} onTime={(eventTime) => onChange({ eventTime })} />
        <Textarea
          label={t('payload')}
          description={t('payloadHint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          classNames={mono}
          value={event.payload}
          error={at('payload')}
          onChange={({ currentTarget: { value } }) => onChange({ payload: value })}
        />
      </div>
    </fieldset>
  );
}

/** The deltas of an event, by counter. */
function Deltas({
  event: { deltas },
  index,
  counters,
  disabled,
  errorOf,
  onChange,
}: Pick<Props, 'event' | 'index' | 'counters' | 'disabled' | 'errorOf' | 'onChange'>) {
  const t = useText(ledgerMessages);
  const set = (row: string, part: Partial<DeltaForm>) => onChange({ deltas: deltas.map((delta) => (delta.row === row ? { ...delta, ...part } : delta)) });
  const place = (row: string, side: 'counter' | 'amount') => `/events/${index}/deltas/${row}/${side}`;
  return (
    <div>
      {deltas.map(({ row, counter, amount }, i) => (
        <div key={row} className={styles.delta}>
          <Autocomplete
            label={i === 0 ? t('counter') : undefined}
            aria-label={t('counter')}
            classNames={{ input: 'mono' }}
            data={counters}
            limit={8}
            disabled={disabled}
            value={counter}
            error={errorOf(place(row, 'counter'), i === 0 ? `/events/${index}/deltas` : '')}
            onChange={(name) => set(row, { counter: name.trim() })}
          />
          <TextInput
            label={i === 0 ? t('amount') : undefined}
            aria-label={t('amount')}
            classNames={{ input: styles.amount }}
            inputMode="numeric"
            maxLength={20}
            value={amount}
            error={errorOf(place(row, 'amount'), `/events/${index}/deltas/${counter}`)}
            onChange={({ currentTarget: { value } }) => set(row, { amount: value.trim().replace('−', '-') })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            c="dimmed"
            className={i === 0 ? styles.below : styles.beside}
            aria-label={t('removeCounter')}
            title={t('removeCounter')}
            disabled={disabled}
            onClick={() => onChange({ deltas: deltas.filter((delta) => delta.row !== row) })}
          >
            <Icon name="cross" />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<Icon name="plus" />}
        disabled={disabled}
        onClick={() => onChange({ deltas: [...deltas, newDelta()] })}
      >
        {t('addCounter')}
      </Button>
    </div>
  );
}
