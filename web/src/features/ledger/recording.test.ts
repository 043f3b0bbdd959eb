import { expect, test } from 'vitest';
import { encode, ExactNumber } from '@/merge';
import { nextAfter } from './count';
import { bodyOf, faultsOf, hasInput, newEvent, nextSequence, sequencedFrom, openRecording, wholeOf, type EventForm, type RecordingForm } from './recording';

const event = (part: Partial<EventForm> = {}): EventForm => ({
  ...newEvent(),
  eventId: 'e-1',
  eventType: 'stored',
  eventTime: '2026-01-31T09:30:00.000Z',
  deltas: [],
  ...part,
});
const form = (part: Partial<RecordingForm> = {}): RecordingForm => ({
  ...openRecording({ type: 'shelf', id: 'A-17' }, 'li')(),
  events: [event()],
  ...part,
});
const faults = (part: Partial<RecordingForm>) => Object.fromEntries(faultsOf(form(part)));

test('a 64-bit number is sent exactly, a larger one is rejected', () => {
  expect(wholeOf('9223372036854775807')).toEqual(new ExactNumber('9223372036854775807'));
  expect(wholeOf('9223372036854775808')).toBeUndefined();
  expect(wholeOf('-12')).toBe(-12);
  expect(wholeOf('+3')).toBe(3);
  expect(wholeOf('1.5')).toBeUndefined();
  expect(
    encode(bodyOf(form({ events: [event({ deltas: [{ row: 'r', counter: 'in', amount: '9007199254740993' }], payload: '{"id":9007199254740993}' })] }))),
  ).toContain('"deltas":{"in":9007199254740993},"payload":{"id":9007199254740993}');
});

test('an event has an id or a number, not both', () => {
  expect(bodyOf(form())).toMatchObject({ enforceClientIdempotency: false, events: [{ eventId: 'e-1' }] });
  const sequenced = bodyOf(form({ naming: 'sequence', events: [event({ clientSeq: '7' })] }));
  expect(sequenced).toMatchObject({ enforceClientIdempotency: true, events: [{ clientSeq: 7 }] });
  expect(encode(sequenced)).not.toContain('eventId');
});

test('an empty row adds nothing', () => {
  const [sent] = bodyOf(form({ events: [event({ deltas: [{ row: 'a', counter: '', amount: '' }] })] })).events as unknown as {
    deltas: object;
    payload: unknown;
  }[];
  expect(sent).toMatchObject({ deltas: {}, payload: null });
});

test.each<[string, Partial<RecordingForm>, Record<string, string>]>([
  ['a complete one is valid', {}, {}],
  ['type and id have valid characters', { type: 'a shelf', id: '' }, { '/type': 'typeWrong', '/id': 'idWrong' }],
  ['a writer has a name', { clientId: ' ' }, { '/clientId': 'clientNeeded' }],
  [
    'an event has a kind and a time',
    { events: [event({ eventType: '', eventTime: null })] },
    { '/events/0/eventType': 'eventTypeWrong', '/events/0/eventTime': 'timeNeeded' },
  ],
  ['numbers rise', { naming: 'sequence', events: [event({ clientSeq: '8' }), event({ clientSeq: '8' })] }, { '/events/1/clientSeq': 'sequenceNotRising' }],
  ['a sequence is required if events are sequenced', { naming: 'sequence' }, { '/events/0/clientSeq': 'sequenceWrong' }],
  ['event ids are unique', { events: [event(), event()] }, { '/events/1/eventId': 'eventIdTwice' }],
  ['payload is JSON', { events: [event({ payload: 'pallet 9' })] }, { '/events/0/payload': 'payloadWrong' }],
  [
    'a counter is named once and gets a number',
    {
      events: [
        event({
          deltas: [
            { row: 'a', counter: 'in', amount: '1' },
            { row: 'b', counter: 'in', amount: 'x' },
          ],
        }),
      ],
    },
    { '/events/0/deltas/a/counter': 'counterTwice', '/events/0/deltas/b/counter': 'counterTwice', '/events/0/deltas/b/amount': 'amountWrong' },
  ],
])('%s', (_, part, expected) => {
  expect(faults(part)).toEqual(expected);
});

test('new events follow the highest number in order', () => {
  expect(nextAfter(undefined)).toBe('1');
  expect(nextAfter(new ExactNumber('9007199254740993'))).toBe('9007199254740994');
  expect(sequencedFrom([event(), event()], '119').map(({ clientSeq }) => clientSeq)).toEqual(['119', '120']);
  expect(nextSequence([event({ clientSeq: '120' })], '5')).toBe('121');
  expect(nextSequence([event({ clientSeq: '' })], '5')).toBe('5');
});

test('a rejection is shown at its input if one exists', () => {
  const typed = form({ events: [event({ deltas: [{ row: 'a', counter: 'in', amount: '1' }] })] });
  const hasInputAt = (pointer: string) => hasInput(typed, pointer);
  expect(['/clientId', '/events/0/eventId', '/events/0/payload', '/events/0/deltas/in'].map(hasInputAt)).toEqual([true, true, true, true]);
  expect(['/events', '/events/1/payload', '/events/0/clientSeq', '/events/0/deltas/out', '/expectedVersion'].map(hasInputAt)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
