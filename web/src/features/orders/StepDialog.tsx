import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey, useUser, keepsKey } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, ProblemBanner, useRuleText, useToasts, OutcomeNotice } from '@/ui';
import { winnerOf, type Winner } from './loser';
import { orderMessages } from './messages';
import { emptyStep, oneOrder, takeStep, type Order, type OrderAction } from './queries';
import { Moved } from './Moved';
import { asks, missingOf, StepFields } from './StepFields';

interface Props {
  /** As it was when the dialog opened. Its version guards the write, unless the dialog said that others went on. */
  order: Order;
  action: OrderAction;
  onClose: () => void;
  /** Somebody else was first. */
  onLost: (winner: Winner) => void;
}

/** Asks for what an action needs and takes it. Nothing shows as done before the service says so. */
export function StepDialog({ order, action, onClose, onLost }: Props) {
  const t = useText(orderMessages);
  const queries = useQueryClient();
  const toasts = useToasts();
  const ruleText = useRuleText();
  const { time } = useFormat();
  const me = useUser().id;
  const { data: now = order } = useQuery(oneOrder(order.id));
  const { key, renew } = useIdempotencyKey(`orders/${order.id}/v${order.version}/${action}`);
  const [step, setStep] = useState(emptyStep);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const settle = (settled: Order) => {
    queries.setQueryData(oneOrder(order.id).queryKey, settled);
    void queries.invalidateQueries({ queryKey: ['orders'] });
    renew();
    onClose();
  };
  // One's own step is announced before its reply arrives.
  const [sent, setSent] = useState(false);
  const moved = now.version > order.version && !sent;
  const possible = now.allowedTransitions.includes(action);
  const seen = moved && possible ? now : order;
  const take = useMutation({
    mutationFn: () => takeStep(seen, action, { ...step, carrier: step.carrier.trim(), trackingNo: step.trackingNo.trim(), reason: step.reason.trim() }, key),
    onSuccess: (taken) => {
      toasts.done(t('done', { number: taken.orderNo, status: t(taken.status) }));
      settle(taken);
    },
    onMutate: () => setSent(true),
    onError: (error) => {
      const winner = winnerOf(error);
      if (winner !== undefined) {
        settle(winner.order);
        onLost(winner);
      } else if (isProblem(error) && error.isOutcomeUnknown) {
        void queries.invalidateQueries({ queryKey: ['orders'] });
      } else {
        setSent(false);
        if (!keepsKey(error)) renew();
      }
    },
  });
  const unknown = isProblem(take.error) && take.error.isOutcomeUnknown;
  const cameThrough = unknown && now.version > order.version && now.updatedBy.id === me;
  const late = (moved || unknown) && !possible;
  const refused = isProblem(take.error) ? take.error.fields.map((field) => [field.pointer.slice(1), ruleText(field)] as const) : [];
  const isTold = isProblem(take.error) && refused.length > 0 && take.error.fields.every(({ pointer }) => asks(action, pointer));
  const errors = { ...Object.fromEntries(refused), ...Object.fromEntries([...missing].map((name) => [name, t('needed')])) };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const needed = missingOf(action, step);
    setMissing(needed);
    if (needed.size === 0) take.mutate();
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} title={t(`${action}Title`, { what: `${t('order')} ${order.orderNo}` })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          <Text c="dimmed">{t(`${action}Hint`)}</Text>
          <StepFields action={action} step={step} onChange={setStep} errors={errors} disabled={take.isPending || unknown || late} />
          {moved && <Moved order={now} action={action} />}
          {cameThrough && <Banner tone="ok" title={t('cameThrough', { status: t(now.status).toLowerCase(), when: time(now.updatedTime) })} />}
          {unknown &&
            !cameThrough &&
            (now.version > order.version ? <Moved order={now} action={action} /> : <Banner tone="warn" title={t('outcomeUnknown')} />)}
          {take.error !== null && !unknown && !isTold && <ProblemBanner error={take.error} told={(pointer) => asks(action, pointer)} />}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('back')}</Button>
            <Button type="submit" variant="filled" color={action === 'cancel' ? 'bad' : 'accent'} loading={take.isPending} disabled={late}>
              {t(unknown ? 'tryAgain' : action)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
