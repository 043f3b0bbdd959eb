import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, keepsKey, useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, OutcomeNotice, ProblemBanner, useToasts } from '@/ui';
import { winnerOf, type Winner } from './loser';
import { orderMessages } from './messages';
import { emptyStep, oneOrder, takeStep, type Order, type OrderAction } from './queries';
import { missingOf, StepFields } from './StepFields';

interface Props {
  /** As it was when the dialog opened: its version guards the write. */
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
  const { key, renew } = useIdempotencyKey(`orders/${order.id}/v${order.version}/${action}`);
  const [step, setStep] = useState(emptyStep);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const settle = (now: Order) => {
    queries.setQueryData(oneOrder(order.id).queryKey, now);
    void queries.invalidateQueries({ queryKey: ['orders'] });
    renew();
    onClose();
  };
  const take = useMutation({
    mutationFn: () => takeStep(order, action, { ...step, carrier: step.carrier.trim(), trackingNo: step.trackingNo.trim(), reason: step.reason.trim() }, key),
    onSuccess: (now) => {
      toasts.done(t('done', { number: now.orderNo, status: t(now.status) }));
      settle(now);
    },
    onError: (error) => {
      const winner = winnerOf(error);
      if (winner !== undefined) {
        settle(winner.order);
        onLost(winner);
      } else if (isProblem(error) && error.isOutcomeUnknown) {
        void queries.invalidateQueries({ queryKey: ['orders'] });
      } else if (!keepsKey(error)) {
        renew();
      }
    },
  });
  const unknown = isProblem(take.error) && take.error.isOutcomeUnknown;
  const refused = isProblem(take.error) ? take.error.fields.map(({ pointer, message }) => [pointer.slice(1), message] as const) : [];
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
          <StepFields action={action} step={step} onChange={setStep} errors={errors} disabled={take.isPending || unknown} />
          {unknown && <Banner tone="warn" title={t('outcomeUnknown')} />}
          {take.error !== null && !unknown && refused.length === 0 && <ProblemBanner error={take.error} />}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('back')}</Button>
            <Button type="submit" variant="filled" color={action === 'cancel' ? 'bad' : 'accent'} loading={take.isPending}>
              {t(unknown ? 'tryAgain' : action)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
