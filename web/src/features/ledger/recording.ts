import { randomId } from '@/browser/id';
import { ExactNumber, JsonSyntaxError, parse, type Json, type JsonObject } from '@/merge';
import { following, spelled, type Count } from './count';
import type { AggregateName } from './queries';

/** What one event adds to one counter, as it is typed. */
export interface DeltaForm {
  /** Tells the rows apart while they are edited. */
  row: string;
  counter: string;
  amount: string;
}

/** One event, as it is typed. */
export interface EventForm {
  /** Tells the events apart while they are edited. */
  row: string;
  /** Its name, where events have names. It stays while the event is edited. */
  eventId: string;
  /** Its number, where the writer numbers them. */
  clientSeq: string;
  eventType: string;
  /** As browsers spell times; null while there is none. */
  eventTime: string | null;
  deltas: DeltaForm[];
  /** JSON, or nothing. */
  payload: string;
}

/** What is typed into the dialog that records events. */
export interface RecordingForm {
  type: string;
  id: string;
  clientId: string;
  /** How events are known when they are sent again: each by a name of its own, or by the writer's numbers. */
  naming: 'eventId' | 'sequence';
  /** The version that it is meant for; null for any. */
  expectedVersion: number | null;
  events: EventForm[];
}

/** As many as a person can look over; programs may send more. */
export const mostEvents = 20;

const typeShape = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,49}$/;
const idShape = /^[A-Za-z0-9_][A-Za-z0-9._:@~-]{0,127}$/;
/** Kinds of events, and counters. */
const wordShape = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,63}$/;
const wholeShape = /^[+-]?\d{1,19}$/;
const largest = 2n ** 63n - 1n;

export const newEventId = (): string => randomId();

export const newDelta = (counter = ''): DeltaForm => ({ row: randomId(), counter, amount: '' });

export function newEvent(clientSeq = '', counter = ''): EventForm {
  return { row: randomId(), eventId: newEventId(), clientSeq, eventType: '', eventTime: new Date().toISOString(), deltas: [newDelta(counter)], payload: '' };
}

/** The form as it opens, for a new aggregate or for one that is there. */
export const openRecording = (name: AggregateName | undefined, clientId: string) => (): RecordingForm => ({
  type: name?.type ?? '',
  id: name?.id ?? '',
  clientId,
  naming: 'eventId',
  expectedVersion: null,
  events: [newEvent()],
});

/** Numbers the events from one sequence on, in their order. */
export function numberedFrom(events: readonly EventForm[], first: string): EventForm[] {
  let next = BigInt(first);
  return events.map((event) => ({ ...event, clientSeq: String(next++) }));
}

/** What has to be mended before it can be sent; each is the key of its text. */
type Fault =
  | 'typeWrong'
  | 'idWrong'
  | 'clientNeeded'
  | 'eventIdNeeded'
  | 'eventIdTwice'
  | 'sequenceWrong'
  | 'sequenceNotRising'
  | 'eventTypeWrong'
  | 'timeNeeded'
  | 'counterWrong'
  | 'counterTwice'
  | 'amountWrong'
  | 'payloadWrong';

/** The faults by the place of the request that they are in; those of a delta by its row. */
export type Faults = ReadonlyMap<string, Fault>;

export function faultsOf(form: RecordingForm): Faults {
  const faults = new Map<string, Fault>();
  if (!typeShape.test(form.type)) faults.set('/type', 'typeWrong');
  if (!idShape.test(form.id)) faults.set('/id', 'idWrong');
  if (form.clientId.trim() === '') faults.set('/clientId', 'clientNeeded');
  form.events.forEach((event, i) => {
    const at = (member: string, fault: Fault | undefined) => fault !== undefined && faults.set(`/events/${i}/${member}`, fault);
    if (form.naming === 'sequence') at('clientSeq', sequenceFault(event, form.events[i - 1]));
    else if (event.eventId.trim() === '') at('eventId', 'eventIdNeeded');
    else if (form.events.findIndex((other) => other.eventId.trim() === event.eventId.trim()) < i) at('eventId', 'eventIdTwice');
    if (!wordShape.test(event.eventType)) at('eventType', 'eventTypeWrong');
    if (event.eventTime === null) at('eventTime', 'timeNeeded');
    for (const delta of written(event)) {
      if (!wordShape.test(delta.counter)) at(`deltas/${delta.row}/counter`, 'counterWrong');
      else if (written(event).some((other) => other !== delta && other.counter === delta.counter)) at(`deltas/${delta.row}/counter`, 'counterTwice');
      if (wholeOf(delta.amount) === undefined) at(`deltas/${delta.row}/amount`, 'amountWrong');
    }
    if (payloadOf(event) === undefined) at('payload', 'payloadWrong');
  });
  return faults;
}

function sequenceFault({ clientSeq }: EventForm, before: EventForm | undefined): Fault | undefined {
  const sequence = wholeOf(clientSeq);
  if (sequence === undefined || BigInt(spelled(sequence)) < 0n) return 'sequenceWrong';
  const last = before === undefined ? undefined : wholeOf(before.clientSeq);
  return last !== undefined && BigInt(spelled(sequence)) <= BigInt(spelled(last)) ? 'sequenceNotRising' : undefined;
}

/** A row that nothing was written into is not meant. */
const written = ({ deltas }: EventForm): DeltaForm[] => deltas.filter(({ counter, amount }) => counter !== '' || amount !== '');

/** A whole number of 64 bits with every digit; undefined for anything else. */
export function wholeOf(typed: string): Count | undefined {
  if (!wholeShape.test(typed)) return undefined;
  const value = BigInt(typed);
  if (value > largest || value < -largest - 1n) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : new ExactNumber(String(value));
}

/** What was typed as payload: null for nothing, undefined when it is not JSON. */
function payloadOf({ payload }: EventForm): Json | undefined {
  if (payload.trim() === '') return null;
  try {
    return parse(payload);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The body of a form without faults. */
export function bodyOf(form: RecordingForm): JsonObject {
  const numbered = form.naming === 'sequence';
  return {
    clientId: form.clientId.trim(),
    enforceClientIdempotency: numbered,
    expectedVersion: form.expectedVersion,
    events: form.events.map((event) => ({
      ...(numbered ? { clientSeq: wholeOf(event.clientSeq) ?? 0 } : { eventId: event.eventId.trim() }),
      eventType: event.eventType,
      eventTime: event.eventTime ?? '',
      deltas: Object.fromEntries(written(event).map(({ counter, amount }) => [counter, wholeOf(amount) ?? 0])),
      payload: payloadOf(event) ?? null,
    })),
  };
}

/** The sequence after those that are typed; `free` where there is none that can be counted on. */
export function nextSequence(events: readonly EventForm[], free: string): string {
  const last = wholeOf(events.at(-1)?.clientSeq ?? '');
  return last === undefined ? free : following(last);
}

/** Whether a place of the request has an input in the form as it is. */
export function hasInput(form: RecordingForm, pointer: string): boolean {
  if (pointer === '/clientId') return true;
  const [, at = '', member = '', counter] = /^\/events\/(\d+)\/(\w+)(?:\/(.+))?$/.exec(pointer) ?? [];
  const event = form.events[Number(at)];
  if (at === '' || event === undefined) return false;
  if (member === 'deltas') return counter === undefined ? event.deltas.length > 0 : event.deltas.some((delta) => delta.counter === counter);
  if (member === 'clientSeq' || member === 'eventId') return (member === 'eventId') === (form.naming === 'eventId');
  return member === 'eventType' || member === 'eventTime' || member === 'payload';
}
