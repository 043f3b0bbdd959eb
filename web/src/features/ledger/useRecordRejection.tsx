import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, When } from '@/ui';
import { nextAfter, spelled, useCounts } from './count';
import { ledgerMessages } from './messages';
import type { Aggregate, EventLanded, EventMismatch, MovedOn, SequenceSuperseded, WritersFull } from './queries';
import { newEventId, sequencedFrom, type RecordingForm } from './recording';

interface Options {
  /** The rejected form. */
  form: RecordingForm;
  /** The current aggregate; undefined if it does not exist. */
  current: Aggregate | undefined;
  change: (part: Partial<RecordingForm>) => void;
  /** Called if nothing is left to send. */
  finish: () => void;
  /** Opens the event of a version; undefined if the page cannot show it. */
  show: ((version: number) => void) | undefined;
}

/** Explains why events were rejected, with the current values and the possible actions. */
export function useRecordRejection({ form, current, change, finish, show }: Options): (error: Error) => ReactNode {
  const t = useText(ledgerMessages);
  const { number } = useCounts();
  const { list } = useFormat();
  const called = useEventName();
  return (error) => {
    if (isProblem(error, 'idempotency_violation')) return <Landed rejected={error.as<EventLanded>()} form={form} change={change} finish={finish} show={show} />;
    if (isProblem(error, 'sequence_superseded')) {
      const { clientId, clientSeq, highestSeq } = error.body as unknown as SequenceSuperseded;
      const sequence = clientSeq === null ? '' : number(clientSeq);
      const free = nextAfter(highestSeq);
      return (
        <Banner
          tone="warn"
          title={t('superseded', { sequence })}
          action={<Button onClick={() => change({ events: sequencedFrom(form.events, free) })}>{t('numberFrom', { sequence: free })}</Button>}
        >
          {t('supersededHint', { writer: clientId, highest: number(highestSeq), sequence })}
        </Banner>
      );
    }
    if (isProblem(error, 'payload_mismatch')) {
      const rejected = error.body as unknown as EventMismatch;
      const { index, eventVersion, differs } = rejected;
      const rename = () =>
        form.naming === 'eventId'
          ? change({ events: form.events.map((event, i) => (i === index ? { ...event, eventId: newEventId() } : event)) })
          : change({ events: sequencedFrom(form.events, nextAfter(current?.writers[form.clientId.trim()])) });
      return (
        <Banner
          tone="warn"
          title={t('mismatch')}
          action={
            <>
              <Button onClick={rename}>
                {form.naming === 'eventId' ? t('newName') : t('numberFrom', { sequence: nextAfter(current?.writers[form.clientId.trim()]) })}
              </Button>
              {show !== undefined && <Button onClick={() => show(eventVersion)}>{t('see')}</Button>}
            </>
          }
        >
          {t('mismatchHint', { event: called(rejected), version: String(eventVersion), differs: list(differs.map((place) => t(`differs_${place}`))) })}
        </Banner>
      );
    }
    if (isProblem(error, 'limit_reached')) {
      return (
        <Banner
          tone="warn"
          title={t('full', { limit: error.as<WritersFull>().limit })}
          action={<Button onClick={() => change({ naming: 'eventId' })}>{t('useIds')}</Button>}
        >
          {t('fullHint')}
        </Banner>
      );
    }
    if (isProblem(error, 'version_conflict')) return <Moved moved={error.as<MovedOn>()} change={change} />;
    return undefined;
  };
}

/** Returns the label of an event in the request: its id, sequence number or index. */
function useEventName(): (named: Pick<EventLanded, 'index' | 'clientId' | 'clientSeq' | 'eventId'>) => string {
  const t = useText(ledgerMessages);
  return ({ index, clientId, clientSeq, eventId }) => {
    if (clientSeq !== null) return t('namedSequence', { sequence: spelled(clientSeq), writer: clientId });
    return eventId === null ? t('namedIndex', { n: index + 1 }) : t('namedId', { id: eventId });
  };
}

/** Explains that some or all events of the request were already recorded. */
function Landed({ rejected, form, change, finish, show }: { rejected: EventLanded } & Pick<Options, 'form' | 'change' | 'finish' | 'show'>) {
  const t = useText(ledgerMessages);
  const event = useEventName()(rejected);
  const { index, landed, version, eventVersion } = rejected;
  const all = landed >= form.events.length;
  return (
    <Banner
      tone={all ? 'ok' : 'warn'}
      title={t('landed', { version: String(version) })}
      action={
        <>
          {all ? (
            <Button onClick={finish}>{t('done')}</Button>
          ) : (
            <Button onClick={() => change({ events: form.events.filter((_, i) => i !== index) })}>{t('leaveOut')}</Button>
          )}
          {show !== undefined && <Button onClick={() => show(eventVersion)}>{t('see')}</Button>}
        </>
      }
    >
      {all ? t('landedAll', { event }) : t('landedSome', { event, landed, of: form.events.length })}
    </Banner>
  );
}

/** Explains that other events were recorded after the form was opened. */
function Moved({ moved, change }: { moved: MovedOn } & Pick<Options, 'change'>) {
  const t = useText(ledgerMessages);
  const { expectedVersion, currentVersion, updatedBy, updatedTime } = moved;
  const current = String(currentVersion);
  return (
    <Banner
      tone="warn"
      title={
        updatedBy === null || updatedTime === null
          ? t('movedUnknown', { current })
          : t.rich('moved', { who: updatedBy.name, current, when: <When time={updatedTime} /> })
      }
      action={<Button onClick={() => change({ expectedVersion: currentVersion })}>{t('recordOnCurrent', { current })}</Button>}
    >
      {t('movedHint', { expected: String(expectedVersion) })}
    </Banner>
  );
}
