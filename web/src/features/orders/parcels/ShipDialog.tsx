import { Checkbox, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Winner } from '@/api';
import { useText } from '@/i18n';
import { ChangedSinceOpen, FormDialog, useFaults, useStepForm, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { oneOrder, shipParcel, stepLabels, type Order } from '../queries';
import { blankParcel, excessLines, isComplete, parcelOf, shippedLines, type ParcelForm } from './parcel';

interface Props {
  /** The order when the dialog opened. The write is guarded by its version, or by a newer one that the dialog has displayed. */
  order: Order;
  onClose: () => void;
  /** Called if another user was first. */
  onLost: (winner: Winner<Order>) => void;
}

const maxFieldLength = 100;

/** Ships units of an order as one parcel. All units to ship are selected when the dialog opens. */
export function ShipDialog({ order, onClose, onLost }: Props) {
  const t = useText(orderMessages);
  const toasts = useToasts();
  const { id, orderNo } = order;
  const { data: now = order } = useQuery(oneOrder(id));
  const title = t('shipTitle', { what: `${t('order')} ${orderNo}` });
  const { keyed, moved, late } = useStepForm<Order, ParcelForm>({
    record: order,
    now,
    queryKey: oneOrder(id).queryKey,
    action: 'ship',
    resource: `orders/${id}`,
    title,
    topics: ['orders', 'inventory'],
    empty: blankParcel(order),
    isComplete: (form) => isComplete(form, now),
    send: (etag, form, key) => shipParcel(id, etag, parcelOf(form), key),
    onDone: (after) => toasts.done(t('shipDone', { number: orderNo, status: t(`fulfilment_${after.fulfilmentStatus}`).toLowerCase() })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const sent = shippedLines(form);
  const excess = excessLines(form, now);
  const disabled = isFixed || late;
  const { errorOf, hasInput } = useFaults(keyed, ['carrier', 'trackingNo', 'lines', ...sent.map((_, i) => `lines/${i}/quantity`)], (name) => {
    if (name === 'lines') return sent.length === 0 && t('unitsNeeded');
    return (name === 'carrier' || name === 'trackingNo') && form[name].trim() === '' && t('needed');
  });
  const text = (name: 'carrier' | 'trackingNo') => (
    <TextInput
      label={t(name)}
      withAsterisk
      maxLength={maxFieldLength}
      disabled={disabled}
      value={form[name]}
      error={errorOf(name)}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      data-autofocus={name === 'carrier' || undefined}
    />
  );
  return (
    <FormDialog form={keyed} title={title} size="md" confirm={t('ship')} hasInput={hasInput} disabled={late} onClose={onClose}>
      {text('carrier')}
      {text('trackingNo')}
      <div className={styles.units} role="group" aria-label={t('unitsOfParcel')}>
        {form.lines.map(({ lineId, quantity }) => {
          const item = now.items.find((one) => one.lineId === lineId);
          const place = sent.findIndex((one) => one.lineId === lineId);
          const toShip = item?.toShip ?? 0;
          return (
            <WholeInput
              key={lineId}
              label={item?.name}
              description={t('ofToShip', { sku: item?.sku ?? '', n: toShip })}
              max={toShip}
              clampBehavior="none"
              disabled={disabled}
              value={quantity}
              error={excess.has(lineId) ? t('atMostUnits', { n: toShip }) : place >= 0 && errorOf(`lines/${place}/quantity`)}
              onChange={(units) => change({ lines: form.lines.map((line) => (line.lineId === lineId ? { lineId, quantity: units } : line)) })}
            />
          );
        })}
        {errorOf('lines') !== undefined && <Text c="bad">{errorOf('lines')}</Text>}
      </div>
      {now.paid > 0 && now.refunded === now.paid && (
        <Checkbox
          label={t('shipRefunded')}
          checked={form.shipRefunded}
          disabled={disabled}
          onChange={(event) => change({ shipRefunded: event.currentTarget.checked })}
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(stepLabels[one]))} />}
    </FormDialog>
  );
}
