import { Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { requestReturn, type Return } from '@/features/returns/queries';
import { useText } from '@/i18n';
import { FormDialog, useFaults, useKeyedForm, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { orderMessages } from '../messages';
import styles from '../Order.module.css';
import { oneOrder, type Order } from '../queries';
import { orderReturnMessages } from './messages';

interface ReturnForm {
  lines: { lineId: number; quantity: number | null }[];
  reason: string;
}

const maxReasonLength = 500;

const requested = ({ lines }: ReturnForm) => lines.flatMap(({ lineId, quantity }) => (quantity === null ? [] : [{ lineId, quantity }]));

/** Requests the return of shipped units of an order. The service checks the units that other returns contain. */
export function RequestReturn({ order, onClose }: { order: Order; onClose: () => void }) {
  const t = useText(orderReturnMessages);
  const common = useText(orderMessages);
  const toasts = useToasts();
  const { id, orderNo } = order;
  const { data: now = order } = useQuery(oneOrder(id));
  const title = t('requestTitle', { number: orderNo });
  const keyed = useKeyedForm<ReturnForm, Return>({
    scope: `orders/${id}/returns`,
    title,
    topics: ['returns', 'orders', 'overview'],
    open: () => ({ lines: order.items.filter(({ shipped }) => shipped > 0).map(({ lineId }) => ({ lineId, quantity: null })), reason: '' }),
    isComplete: (form) => requested(form).length > 0 && form.reason.trim() !== '',
    send: (form, key) => requestReturn(id, { lines: requested(form), reason: form.reason.trim() }, key),
    onDone: (made) => {
      toasts.done(t('done', { id: String(made.id) }));
      onClose();
    },
  });
  const { form, change, isFixed } = keyed;
  const sent = requested(form);
  const { errorOf, hasInput } = useFaults(keyed, ['reason', 'lines', ...sent.map((_, i) => `lines/${i}/quantity`)], (name) => {
    if (name === 'lines') return sent.length === 0 && common('unitsNeeded');
    return name === 'reason' && form.reason.trim() === '' && common('needed');
  });
  return (
    <FormDialog form={keyed} title={title} size="md" confirm={t('confirm')} hasInput={hasInput} onClose={onClose}>
      <div className={styles.units} role="group" aria-label={t('units')}>
        {form.lines.map(({ lineId, quantity }) => {
          const item = now.items.find((one) => one.lineId === lineId);
          const place = sent.findIndex((one) => one.lineId === lineId);
          const maxUnits = (item?.shipped ?? 0) - (item?.returned ?? 0);
          return (
            <WholeInput
              key={lineId}
              label={item?.name}
              description={t('ofShipped', { sku: item?.sku ?? '', n: maxUnits })}
              max={maxUnits}
              clampBehavior="none"
              disabled={isFixed}
              value={quantity}
              error={place >= 0 && errorOf(`lines/${place}/quantity`)}
              onChange={(units) => change({ lines: form.lines.map((line) => (line.lineId === lineId ? { lineId, quantity: units } : line)) })}
            />
          );
        })}
        {errorOf('lines') !== undefined && <Text c="bad">{errorOf('lines')}</Text>}
      </div>
      <Textarea
        label={common('reason')}
        autosize
        minRows={2}
        maxLength={maxReasonLength}
        disabled={isFixed}
        value={form.reason}
        error={errorOf('reason')}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
