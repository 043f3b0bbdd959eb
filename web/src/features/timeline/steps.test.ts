import { expect, test } from 'vitest';
import { stepsOf, type Happening } from './steps';

const li = { id: 7, name: 'Li' };
const at = (micro: string) => `2026-01-31T09:30:00.${micro}Z`;
const ship: Happening = { time: at('000002'), who: li, part: { kind: 'order', order: { id: 1, orderNo: 'O-1' }, event: { action: 'ship', to: 'shipped' } } };
const taken = (id: number): Happening => ({ time: at('000002'), who: li, part: { kind: 'stock', movement: { id, sku: 'TEA' } as never } });
const request: Happening = { time: at('000002'), who: li, part: { kind: 'request', entry: { id: 9 } as never } };
const pay: Happening = { time: at('000001'), who: undefined, part: { kind: 'order', order: { id: 1, orderNo: 'O-1' }, event: { action: 'pay', to: 'paid' } } };

test('simultaneous entries form one step, newest step first', () => {
  const steps = stepsOf([pay, ship, taken(4), taken(3), request, taken(4)]);
  expect(steps.map(({ time, parts }) => [time, parts.map(({ kind }) => kind)])).toEqual([
    [at('000002'), ['request', 'stock', 'stock', 'order']],
    [at('000001'), ['order']],
  ]);
  expect(steps[0]?.who).toEqual(li);
});
