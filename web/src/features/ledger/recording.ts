import { randomId } from '@/browser/id';
import { ExactNumber, JsonSyntaxError, parse, type Json, type JsonObject } from '@/merge';
import { following, spelled, type Count } from './count';
import type { AggregateName } from './queries';

/** One delta of an event, as typed. */
export interface DeltaForm {
  /** The React key of the row. */
  row: string;
  counter: string;
  amount: string;
}

/** One event, as typed. */
export interface EventForm {
  /** The React key of the event. */
  row: string;
  /** Its unique id, if events have ids. It stays the same during edits. */
  eventId: string;
  /** Its sequence number, if the writer numbers its events. */
  clientSeq: string;
  eventType: string;
  /** The time in the format of the browser; null if it is empty. */
  eventTime: string | null;
  deltas: DeltaForm[];
  /** JSON, or empty. */
  payload: string;
}

/** The form of the dialog. */
export interface RecordingForm {
  type: string;
  id: string;
  clientId: string;
  /** How the service detects repeated events: by the id of each event, or by the sequence numbers of the writer. */
  naming: 'eventId' | 'sequence';
  /** The expected version of the aggregate; null for any. */
  expectedVersion: number | null;
  events: EventForm[];
}

/** The maximum number of events in the dialog; programs may send more. */
export const maxEvents = 20;

const typeShape = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,49}$/;
const idShape = /^[A-Za-z0-9_][A-Za-z0-9._:@~-]{0,127}$/;
/** The form of event types and of counter names. */
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._:-]{0,63}$/;
const integerPattern = /^[+-]?\d{1,19}$/;
const largest = 2n ** 63n - 1n;

export const newEventId = (): string => randomId();

export const newDelta = (counter = ''): DeltaForm => ({ row: randomId(), counter, amount: '' });

export function newEvent(clientSeq = '', counter = ''): EventForm {
  return { row: randomId(), eventId: newEventId(), clientSeq, eventType: '', eventTime: new Date().toISOString(), deltas: [newDelta(counter)], payload: '' };
}

/** The initial form, for a new aggregate or an existing one. */
export const openRecording = (name: AggregateName | undefined, clientId: string) => (): RecordingForm => ({
  type: name?.type ?? '',
  id: name?.id ?? '',
  clientId,
  naming: 'eventId',
  expectedVersion: null,
  events: [newEvent()],
});

/** Numbers the events in order, from a first sequence number. */
export function sequencedFrom(events: readonly EventForm[], first: string): EventForm[] {
  let next = BigInt(first);
  return events.map((event) => ({ ...event, clientSeq: String(next++) }));
}

/** The possible faults; each is the key of its text. */
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

/** The faults by JSON Pointer in the request. The faults of a delta are by row. */
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
    if (!namePattern.test(event.eventType)) at('eventType', 'eventTypeWrong');
    if (event.eventTime === null) at('eventTime', 'timeNeeded');
    for (const delta of written(event)) {
      if (!namePattern.test(delta.counter)) at(`deltas/${delta.row}/counter`, 'counterWrong');
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

/** Empty rows are ignored. */
const written = ({ deltas }: EventForm): DeltaForm[] => deltas.filter(({ counter, amount }) => counter !== '' || amount !== '');

/** Parses a 64-bit integer with all digits; undefined if it is invalid. */
export function wholeOf(typed: string): Count | undefined {
  if (!integerPattern.test(typed)) return undefined;
  const value = BigInt(typed);
  if (value > largest || value < -largest - 1n) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : new ExactNumber(String(value));
}

/** The payload: null if empty, undefined if it is not JSON. */
function payloadOf({ payload }: EventForm): Json | undefined {
  if (payload.trim() === '') return null;
  try {
    return parse(payload);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The request body of a form without faults. */
export function bodyOf(form: RecordingForm): JsonObject {
  const isSequenced = form.naming === 'sequence';
  return {
    clientId: form.clientId.trim(),
    enforceClientIdempotency: isSequenced,
    expectedVersion: form.expectedVersion,
    events: form.events.map((event) => ({
      ...(isSequenced ? { clientSeq: wholeOf(event.clientSeq) ?? 0 } : { eventId: event.eventId.trim() }),
      eventType: event.eventType,
      eventTime: event.eventTime ?? '',
      deltas: Object.fromEntries(written(event).map(({ counter, amount }) => [counter, wholeOf(amount) ?? 0])),
      payload: payloadOf(event) ?? null,
    })),
  };
}

/** The sequence number after that of the last event; `free` if that is invalid. */
export function nextSequence(events: readonly EventForm[], free: string): string {
  const last = wholeOf(events.at(-1)?.clientSeq ?? '');
  return last === undefined ? free : following(last);
}

/** Whether a pointer of the request has an input in the current form. */
export function hasInput(form: RecordingForm, pointer: string): boolean {
  if (pointer === '/clientId') return true;
  const [, at = '', member = '', counter] = /^\/events\/(\d+)\/(\w+)(?:\/(.+))?$/.exec(pointer) ?? [];
  const event = form.events[Number(at)];
  if (at === '' || event === undefined) return false;
  if (member === 'deltas') return counter === undefined ? event.deltas.length > 0 : event.deltas.some((delta) => delta.counter === counter);
  if (member === 'clientSeq' || member === 'eventId') return (member === 'eventId') === (form.naming === 'eventId');
  return member === 'eventType' || member === 'eventTime' || member === 'payload';
}
