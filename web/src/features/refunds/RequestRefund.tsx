import { Button, Checkbox, NativeSelect, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem, useMay } from '@/api';
import type { Order } from '@/features/orders/queries';
import { paymentsOf } from '@/features/payments/queries';
import { settings } from '@/features/settings/queries';
import { useFormat, useText } from '@/i18n';
import { Banner, FormDialog, useFaults, useKeyedForm, useNow, useToasts } from '@/ui';
import { MoneyInput } from '@/ui/MoneyInput';
import { WholeInput } from '@/ui/WholeInput';
import { refundMessages } from './messages';
import { refundsOf, requestRefund, type Refund } from './queries';
import {
  blankRequest,
  isComplete,
  maxAmountOf,
  refundablePayments,
  reservingRefund,
  unitsRequested,
  requestOf,
  requestedOf,
  type RefundForm,
  type RequestedLine,
} from './request';
import styles from './RequestRefund.module.css';
import { worthOf } from './worth';

interface Props {
  /** The order as last read. */
  order: Order;
  onClose: () => void;
}

const maxReasonLength = 500;

/** Requests a refund of an order, by units or by amount. The service calculates the refundable amount and the value of units, which the dialog previews. */
export function RequestRefund({ order, onClose }: Props) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  const toasts = useToasts();
  const { id, orderNo, refundable, items, status } = order;
  const may = useMay();
  const { data: others } = useQuery({ ...refundsOf(id), enabled: may('refunds:read') });
  const { data: paid } = useQuery({ ...paymentsOf(id), enabled: may('payments:read') });
  const payments = refundablePayments(paid?.items ?? []);
  const title = t('requestTitle', { number: orderNo });
  const [opened] = useState(refundable);
  const keyed = useKeyedForm<RefundForm, Refund>({
    scope: `orders/${id}/refunds`,
    title,
    topics: ['refunds', 'orders', 'payments', 'overview'],
    open: () => blankRequest(order),
    isComplete,
    send: (form, key) => requestRefund(id, requestOf(form), key),
    onDone: (made) => {
      toasts.done(t('asked_done', { id: String(made.id), amount: money(made.amount) }));
      onClose();
    },
  });
  const { form, change, error, isFixed } = keyed;
  const beyond = error === null ? undefined : beyondOf(error);
  const requested = requestedOf(form);
  const { errorOf, hasInput } = useFaults(
    keyed,
    ['amount', 'paymentId', 'reason', 'lines', ...requested.flatMap((_, i) => [`lines/${i}/quantity`, `lines/${i}/restock`])],
    (name) => {
      if (name === 'amount') return form.by === 'amount' && (form.amount ?? 0) <= 0 && t('amountNeeded');
      if (name === 'reason') return form.reason.trim() === '' && t('needed');
      if (name === 'paymentId') return false;
      return name === 'lines' && requested.length === 0 && t('unitsNeeded');
    },
  );
  const taken = unitsRequested(others?.items ?? []);
  const setLine = (sku: string, part: Partial<RequestedLine>) => change({ lines: form.lines.map((line) => (line.sku === sku ? { ...line, ...part } : line)) });
  const first = reservingRefund(others?.items ?? []);
  const maxAmount = maxAmountOf(order, payments, form.paymentId);
  const amount = form.by === 'amount' ? form.amount : worthOf(order, others?.items ?? [], requested);
  const left = (sku: string, quantity: number) => Math.max(0, quantity - (taken.get(sku) ?? 0));
  const setAll = () =>
    change({ lines: items.map(({ sku, quantity }, i) => ({ restock: false, ...form.lines[i], sku, quantity: left(sku, quantity) || null })) });
  return (
    <FormDialog
      form={keyed}
      title={title}
      confirm={t('requestConfirm')}
      hasInput={hasInput}
      renderRejection={(rejected) => {
        const rest = beyondOf(rejected);
        return rest === undefined ? undefined : <Beyond left={rest} first={first} />;
      }}
      onClose={onClose}
    >
      <Text>
        <strong>{t('refundableNow', { amount: money(refundable) })}</strong> <Approver amount={amount ?? 0} />
      </Text>
      {refundable < opened && !isFixed && error === null && <Taken first={first} />}
      {payments.length > 1 && (
        <NativeSelect
          label={t('payment')}
          description={t('paymentHint')}
          disabled={isFixed}
          value={form.paymentId ?? ''}
          error={errorOf('paymentId')}
          data={[
            { value: '', label: t('anyPayment') },
            ...payments.map((one) => ({
              value: String(one.id),
              label: t('paymentLeft', { id: String(one.id), method: t(one.method), amount: money(one.refundable) }),
            })),
          ]}
          onChange={(event) => change({ paymentId: event.currentTarget.value === '' ? null : Number(event.currentTarget.value) })}
        />
      )}
      <Radio.Group label={t('by')} value={form.by} onChange={(by) => change({ by })}>
        <Stack gap="xs" mt={6}>
          <Radio value="lines" label={t('byLines')} description={t('byLinesHint')} disabled={isFixed} />
          <Radio value="amount" label={t('byAmount')} disabled={isFixed} />
        </Stack>
      </Radio.Group>
      {form.by === 'lines' ? (
        <div className={styles.lines} role="group" aria-label={t('byLines')}>
          {items.map(({ sku, name, quantity }) => {
            const line = form.lines.find((one) => one.sku === sku);
            const place = requested.findIndex((one) => one.sku === sku);
            const before = taken.get(sku) ?? 0;
            const range = t(before === 0 ? 'ofUnits' : 'ofUnitsReserved', { name, n: String(quantity), taken: String(before) });
            return (
              <div key={sku} className={styles.line}>
                <WholeInput
                  label={t('unitsOf', { sku })}
                  description={range}
                  max={quantity}
                  clampBehavior="none"
                  disabled={isFixed}
                  value={line?.quantity ?? null}
                  error={place >= 0 && ((line?.quantity ?? 0) > quantity ? t('unitsMax', { n: String(quantity) }) : errorOf(`lines/${place}/quantity`))}
                  onChange={(pieces) => setLine(sku, { quantity: pieces })}
                />
                <Checkbox
                  className={styles.back}
                  label={t('back')}
                  aria-label={`${t('back')}: ${sku}`}
                  disabled={isFixed || status === 'cancelled'}
                  checked={line?.restock ?? false}
                  error={place >= 0 && errorOf(`lines/${place}/restock`)}
                  onChange={(event) => setLine(sku, { restock: event.currentTarget.checked })}
                />
              </div>
            );
          })}
          <div className={styles.sum}>
            <Text role="status">{t.rich('worthNow', { amount: <strong>{money(amount ?? 0)}</strong> })}</Text>
            <Button size="xs" disabled={isFixed} onClick={setAll}>
              {t('allUnits')}
            </Button>
          </div>
          {status === 'cancelled' && <Text c="dimmed">{t('backNot')}</Text>}
          {errorOf('lines') !== undefined && <Text c="bad">{errorOf('lines')}</Text>}
        </div>
      ) : (
        <div className={styles.amount}>
          <MoneyInput
            label={t('amount')}
            disabled={isFixed}
            minor={form.amount}
            error={beyond === undefined ? errorOf('amount') : beyond > 0 && t('atMost', { amount: money(beyond) })}
            onMinor={(amount) => change({ amount })}
          />
          {maxAmount > 0 && (
            <Button disabled={isFixed} onClick={() => change({ amount: maxAmount })}>
              {t('useRest')} · {money(maxAmount)}
            </Button>
          )}
        </div>
      )}
      {amount !== null && amount > 0 && amount <= refundable && !isFixed && (
        <Text c="dimmed">{t('refundableAfter', { before: money(refundable), after: money(refundable - amount) })}</Text>
      )}
      <Textarea
        label={t('reason')}
        description={t('reasonHint')}
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

/** The users that approve a refund of an amount. Without permission to read the settings, the general rule. */
function Approver({ amount }: { amount: number }) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  const rules = useQuery({ ...settings, enabled: useMay()('settings:read') }).data;
  if (rules === undefined) return t('requestHint');
  const { refundApprovalThreshold: above, approvalsRequired: n, selfApproval } = rules;
  if (above !== null && amount > above) return t('requestHintVotes', { n, above: money(above) });
  return t(selfApproval ? 'requestHintSelf' : 'requestHint');
}

/** The refundable amount, if the request exceeded it; undefined for any other rejection. */
function beyondOf(error: Error): number | undefined {
  if (!isProblem(error, 'validation_failed') || !error.fields.some(({ pointer }) => pointer === '/amount')) return undefined;
  return error.as<{ refundable?: number }>().refundable;
}

/** Returns a sentence about the latest other refund of the order. */
function useFirst(): (first: Refund | undefined) => string | undefined {
  const t = useText(refundMessages);
  const { money, relative } = useFormat();
  const now = useNow();
  return (first) => first && t('requestedFirst', { who: first.requestedBy.name, amount: money(first.amount), when: relative(first.createdTime, now) });
}

/** Shown if the request exceeded the refundable amount: the amount that is left, and the refund that came first. */
function Beyond({ left, first }: { left: number; first: Refund | undefined }) {
  const t = useText(refundMessages);
  const { money } = useFormat();
  return (
    <Banner tone="warn" title={left === 0 ? t('nothingLeft') : t('exceedsRest', { amount: money(left) })}>
      {useFirst()(first) ?? t('exceedsRestHint')}
    </Banner>
  );
}

/** Shown in the open dialog if another user has requested a refund of the same order. */
function Taken({ first }: { first: Refund | undefined }) {
  const t = useText(refundMessages);
  return <Banner tone="info" title={useFirst()(first) ?? t('exceedsRestHint')} />;
}
