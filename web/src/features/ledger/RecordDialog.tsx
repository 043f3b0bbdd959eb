import { Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useUser } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useFieldErrorText, useToasts } from '@/ui';
import { nextAfter } from './count';
import { EventList } from './EventList';
import { ledgerMessages } from './messages';
import { NameInputs } from './NameInputs';
import { append, oneAggregate, pathOf, type Aggregate, type AggregateName, type Appended } from './queries';
import { bodyOf, faultsOf, hasInput, sequencedFrom, openRecording, type RecordingForm } from './recording';
import { useRecordRejection } from './useRecordRejection';

interface Props {
  /** The aggregate of the events; undefined shows inputs for it. */
  name?: AggregateName;
  /** The current aggregate; undefined if it does not exist yet. */
  aggregate?: Aggregate | undefined;
  onClose: () => void;
  onRecorded?: (name: AggregateName) => void;
  /** Opens the event of a version. */
  onShow?: (version: number) => void;
}

/** The dialog that records events. The page shows them only after the service has confirmed them. */
export function RecordDialog({ name, aggregate, onClose, onRecorded, onShow }: Props) {
  const t = useText(ledgerMessages);
  const toasts = useToasts();
  const user = useUser();
  const title = name === undefined ? t('recordNew') : t('recordTitle', { name: pathOf(name) });
  const keyed = useKeyedForm<RecordingForm, Appended>({
    scope: name === undefined ? 'aggregates/new/events' : `aggregates/${pathOf(name)}/events`,
    title,
    topics: ['aggregates'],
    open: openRecording(name, user.username),
    isComplete: (typed) => faultsOf(typed).size === 0,
    send: (typed, key) => append({ type: typed.type, id: typed.id }, bodyOf(typed), key),
    onDone: ({ applied, version }, { type, id }) => {
      toasts.done(t('recorded', { n: applied, version: String(version) }));
      onClose();
      onRecorded?.({ type, id });
    },
  });
  const { form, change, isFixed, strict, error } = keyed;
  const named = { type: form.type, id: form.id };
  const { data: found } = useQuery({ ...oneAggregate(named), enabled: name === undefined && error !== null && !isFixed });
  const current = aggregate ?? found;
  const highest = current?.writers[form.clientId.trim()];
  const rejected = useFieldErrorText(error);
  const faults = strict ? faultsOf(form) : new Map<string, never>();
  const errorOf = (place: string, pointer = place) => {
    const fault = faults.get(place);
    return fault === undefined ? rejected(pointer) : t(fault);
  };
  const leave = () => {
    keyed.discard();
    onClose();
  };
  const show =
    onShow &&
    ((version: number) => {
      leave();
      onShow(version);
    });
  const rejection = useRecordRejection({ form, current, change, finish: leave, show });
  // Each writer has its sequence numbers, so a change of the writer renumbers the events.
  const known = (part: Partial<Pick<RecordingForm, 'clientId' | 'naming'>>) => {
    const { clientId, naming } = { ...form, ...part };
    change({ ...part, ...(naming === 'sequence' ? { events: sequencedFrom(form.events, nextAfter(current?.writers[clientId.trim()])) } : {}) });
  };
  return (
    <FormDialog
      form={keyed}
      title={title}
      confirm={t('confirm', { n: form.events.length })}
      hasInput={(pointer) => hasInput(form, pointer)}
      renderRejection={rejection}
      onClose={onClose}
    >
      <NameInputs
        form={form}
        writers={Object.keys(current?.writers ?? {})}
        showsName={name === undefined}
        disabled={isFixed}
        errorOf={errorOf}
        onChange={change}
        onWriter={(clientId) => known({ clientId })}
      />
      <Stack gap={6}>
        <Text size="sm" fw={500} id="naming">
          {t('naming')}
        </Text>
        <Group>
          <SegmentedControl
            aria-labelledby="naming"
            disabled={isFixed}
            value={form.naming}
            data={[
              { value: 'eventId', label: t('byEventId') },
              { value: 'sequence', label: t('bySequence') },
            ]}
            onChange={(naming) => known({ naming })}
          />
        </Group>
        <Text c="dimmed" size="sm">
          {t(form.naming === 'eventId' ? 'byEventIdHint' : 'bySequenceHint')}
        </Text>
      </Stack>
      <EventList form={form} counters={Object.keys(current?.counters ?? {})} highest={highest} disabled={isFixed} errorOf={errorOf} onChange={change} />
      {current !== undefined && (
        <Checkbox
          label={t('onlyAt', { version: String(form.expectedVersion ?? current.version) })}
          description={t('onlyAtHint')}
          disabled={isFixed}
          checked={form.expectedVersion !== null}
          onChange={(event) => change({ expectedVersion: event.currentTarget.checked ? current.version : null })}
        />
      )}
      <Text c="dimmed" size="sm">
        {t('recordHint')}
      </Text>
    </FormDialog>
  );
}
