import type { NewParcel, Order } from '../queries';

/** The inputs of a parcel. */
export interface ParcelForm {
  carrier: string;
  trackingNo: string;
  /** Confirms the shipment of an order that was completely refunded. */
  shipRefunded: boolean;
  /** The units per line that has units to ship. */
  lines: { lineId: number; quantity: number | null }[];
}

export const blankParcel = ({ items }: Pick<Order, 'items'>): ParcelForm => ({
  carrier: '',
  trackingNo: '',
  shipRefunded: false,
  lines: items.filter(({ toShip }) => toShip > 0).map(({ lineId, toShip }) => ({ lineId, quantity: toShip })),
});

/** The lines to send. Their order matters, because the service reports errors by the index of a line. */
export const shippedLines = ({ lines }: Pick<ParcelForm, 'lines'>) =>
  lines.flatMap(({ lineId, quantity }) => (quantity === null ? [] : [{ lineId, quantity }]));

/** The lines with more units than are to ship. */
export function excessLines({ lines }: Pick<ParcelForm, 'lines'>, { items }: Pick<Order, 'items'>): ReadonlySet<number> {
  const toShip = new Map(items.map((item) => [item.lineId, item.toShip]));
  return new Set(lines.filter(({ lineId, quantity }) => (quantity ?? 0) > (toShip.get(lineId) ?? 0)).map(({ lineId }) => lineId));
}

export const isComplete = (form: ParcelForm, order: Pick<Order, 'items'>): boolean =>
  form.carrier.trim() !== '' && form.trackingNo.trim() !== '' && shippedLines(form).length > 0 && excessLines(form, order).size === 0;

export const parcelOf = (form: ParcelForm): NewParcel => ({
  carrier: form.carrier.trim(),
  trackingNo: form.trackingNo.trim(),
  lines: shippedLines(form),
  ...(form.shipRefunded && { shipRefunded: true }),
});
