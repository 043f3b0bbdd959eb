import { Button, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '@/i18n';
import { FormDialog, Icon, useKeyedForm, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { OrderInputs } from '../edit/OrderInputs';
import { orderMessages } from '../messages';
import { placeOrder, type Order } from '../queries';
import { paymentTerms } from '../search-params';
import { Lines, useSay } from './Lines';
import { placeMessages } from './messages';
import { hasMore, hasInputAt, mistakesOf, moreFields, openPlacement, placeOf, rejectedAt, requestOf, type Mistakes, type Placement } from './placement';

/** The dialog that places an order: customer, lines and coupon, and on request everything that a storefront sends. */
export function PlaceOrder({ userId, onClose }: { /** The customer; undefined shows an input. */ userId?: string; onClose: () => void }) {
  const t = useText(placeMessages);
  const order = useText(orderMessages);
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
    onDone: ({ id, orderNo }) => {
      toasts.done(t('placed', { number: orderNo }));
      onClose();
      void navigate({ to: '/orders/$id', params: { id: String(id) } });
    },
    onRejected: (error, typed) => setRejected(rejectedAt(error, typed)),
  });
  const { form, strict, isFixed } = keyed;
  const [wantsMore, setWantsMore] = useState(false);
  const mistakes = { ...rejected, ...(strict ? mistakesOf(form) : {}) };
  const hasInput = (pointer: string) => hasInputAt(placeOf(pointer), form.lines.length);
  const isShown = Object.keys(rejected).length > 0 && Object.keys(rejected).every(hasInput);
  /** `isOutdated` reports whether the reported error at a JSON Pointer is outdated. */
  const change = (part: Partial<Placement>, isOutdated: (pointer: string) => boolean) => {
    keyed.change(part);
    setRejected((before) => Object.fromEntries(Object.entries(before).filter(([pointer]) => !isOutdated(pointer))));
  };
  const errorOf = (name: (typeof moreFields)[number]) => say(mistakes[`/${name}`]);
  const isLong = wantsMore || hasMore(form) || moreFields.some((name) => errorOf(name) !== undefined);
  /** Changes fields outside of the lines. */
  const set = (part: Partial<Placement>) => change(part, (pointer) => Object.keys(part).some((name) => pointer === `/${name}`));
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
        onChange={({ currentTarget: { value: userId } }) => set({ userId })}
        data-autofocus
      />
      <Lines
        lines={form.lines}
        extra={(form.shipping ?? 0) + (form.tax ?? 0)}
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
        onChange={({ currentTarget: { value: couponCode } }) => set({ couponCode })}
      />
      {isLong ? (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {(['shipping', 'tax'] as const).map((name) => (
              <MoneyInput
                key={name}
                label={order(name)}
                minor={form[name]}
                error={errorOf(name)}
                disabled={isFixed}
                onMinor={(minor) => set({ [name]: minor })}
              />
            ))}
            <NativeSelect
              label={order('paymentTerms')}
              value={form.paymentTerms}
              error={errorOf('paymentTerms')}
              disabled={isFixed}
              data={paymentTerms.map((terms) => ({ value: terms, label: order(`terms_${terms}`) }))}
              onChange={({ currentTarget: { value } }) => set({ paymentTerms: paymentTerms.find((terms) => terms === value) })}
            />
            <TextInput
              label={order('externalId')}
              autoComplete="off"
              classNames={{ input: 'mono' }}
              maxLength={128}
              value={form.externalId}
              error={errorOf('externalId')}
              disabled={isFixed}
              onChange={({ currentTarget: { value: externalId } }) => set({ externalId })}
            />
          </SimpleGrid>
          <OrderInputs value={form} errorOf={errorOf} disabled={isFixed} onChange={set} />
        </>
      ) : (
        <Button variant="subtle" size="xs" me="auto" leftSection={<Icon name="plus" />} disabled={isFixed} onClick={() => setWantsMore(true)}>
          {t('more')}
        </Button>
      )}
    </FormDialog>
  );
}
