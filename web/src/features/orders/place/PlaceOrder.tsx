import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { placeOrder, type Order } from '../queries';
import { Lines, useSay } from './Lines';
import { placeMessages } from './messages';
import { hasPlace, mistakesOf, openPlacement, placeOf, rejectedAt, requestOf, type Mistakes, type Placement } from './placement';

/** The dialog that places an order. */
export function PlaceOrder({ userId, onClose }: { /** The customer; undefined shows an input. */ userId?: string; onClose: () => void }) {
  const t = useText(placeMessages);
  const say = useSay();
  const toasts = useToasts();
  const navigate = useNavigate();
  const [rejected, setRejected] = useState<Mistakes>({});
  const keyed = useKeyedForm<Placement, Order>({
    scope: userId === undefined ? 'orders/new' : `orders/new/${userId}`,
    title: t('title'),
    topics: ['orders'],
    open: () => ({ ...openPlacement(), ...(userId === undefined ? {} : { userId }) }),
    isComplete: (typed) => Object.keys(mistakesOf(typed)).length === 0,
    send: (typed, key) => placeOrder(requestOf(typed), key),
    onDone: (order) => {
      toasts.done(t('placed', { number: order.orderNo }));
      onClose();
      void navigate({ to: '/orders/$id', params: { id: String(order.id) } });
    },
    onRejected: (error, typed) => setRejected(rejectedAt(error, typed)),
  });
  const { form, strict, isFixed } = keyed;
  const mistakes = { ...rejected, ...(strict ? mistakesOf(form) : {}) };
  const hasInput = (pointer: string) => hasPlace(placeOf(pointer), form.lines.length);
  const isShown = Object.keys(rejected).length > 0 && Object.keys(rejected).every(hasInput);
  /** `isOutdated` reports whether the reported error at a JSON Pointer is outdated. */
  const change = (part: Partial<Placement>, isOutdated: (pointer: string) => boolean) => {
    keyed.change(part);
    setRejected((before) => Object.fromEntries(Object.entries(before).filter(([pointer]) => !isOutdated(pointer))));
  };
  const discard = () => {
    keyed.discard();
    setRejected({});
  };
  return (
    <FormDialog
      form={{ ...keyed, discard }}
      title={t('title')}
      confirm={t('place')}
      hasInput={hasInput}
      renderRejection={() => (isShown ? <></> : undefined)}
      onClose={onClose}
    >
      <TextInput
        label={t('user')}
        autoComplete="off"
        withAsterisk
        maxLength={128}
        value={form.userId}
        error={say(mistakes['/userId'])}
        disabled={isFixed}
        onChange={({ currentTarget: { value: userId } }) => change({ userId }, (pointer) => pointer === '/userId')}
        data-autofocus
      />
      <Lines
        lines={form.lines}
        mistakes={mistakes}
        disabled={isFixed}
        onChange={(lines, touched) =>
          change({ lines }, (pointer) => {
            const at = Number(/^\/items\/(\d+)/.exec(pointer)?.[1] ?? Number.NaN);
            return touched.on ? at >= touched.line : at === touched.line;
          })
        }
      />
      <TextInput
        label={t('coupon')}
        description={t('couponHint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="off"
        classNames={{ input: 'mono' }}
        maxLength={64}
        value={form.couponCode}
        error={say(mistakes['/couponCode'])}
        disabled={isFixed}
        onChange={({ currentTarget: { value: couponCode } }) => change({ couponCode }, (pointer) => pointer === '/couponCode')}
      />
    </FormDialog>
  );
}
