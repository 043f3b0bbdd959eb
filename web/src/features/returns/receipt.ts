import type { Return } from './queries';

/** The arrived units of a line: those that go back into stock, and those that are written off. */
export interface Arrival {
  lineId: number;
  restocked: number | null;
  writtenOff: number | null;
}

/** By default all requested units go back into stock. */
export const allArrived = ({ lines }: Pick<Return, 'lines'>): Arrival[] =>
  lines.map(({ lineId, quantity }) => ({ lineId, restocked: quantity, writtenOff: null }));

/** The lines to send. */
export const arrivedLines = (lines: readonly Arrival[]) =>
  lines.flatMap(({ lineId, restocked, writtenOff }) => [
    ...(restocked === null ? [] : [{ lineId, quantity: restocked, restock: true }]),
    ...(writtenOff === null ? [] : [{ lineId, quantity: writtenOff, restock: false }]),
  ]);

/** Whether more units of a line arrived than were requested. */
export const isBeyond = ({ lineId, restocked, writtenOff }: Arrival, { lines }: Pick<Return, 'lines'>): boolean =>
  (restocked ?? 0) + (writtenOff ?? 0) > (lines.find((line) => line.lineId === lineId)?.quantity ?? 0);
