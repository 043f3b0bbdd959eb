import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, ProblemBanner, useToasts } from '@/ui';
import { saleMessages } from './messages';
import { oneSale, takeStep, type Sale, type SaleAction } from './queries';
import { winnerOf, type Winner } from './winner';

interface Props {
  /** As it was when the dialog opened. */
  sale: Sale;
  action: SaleAction;
  onClose: () => void;
  /** Somebody else was first. */
  onLost: (winner: Winner) => void;
}

/** Says what a step does and takes it. Nothing shows as done before the service says so. */
export function StepDialog({ sale, action, onClose, onLost }: Props) {
  const t = useText(saleMessages);
  const { dateTime } = useFormat();
  const queries = useQueryClient();
  const toasts = useToasts();
  const { key, renew } = useIdempotencyKey(`flash-sales/${sale.id}/v${sale.version}/${action}`);
  const settle = (now: Sale) => {
    queries.setQueryData(oneSale(sale.id).queryKey, now);
    void queries.invalidateQueries({ queryKey: ['flash-sales'] });
    renew();
    onClose();
  };
  const take = useMutation({
    mutationFn: () => takeStep(sale, action, key),
    onSuccess: ({ data: now }) => {
      toasts.done(t('stepped', { name: now.name, status: t(now.status) }));
      settle(now);
    },
    onError: (error) => {
      const winner = winnerOf(error, sale);
      if (winner !== undefined) {
        settle(winner.sale);
        onLost(winner);
      } else if (isProblem(error) && error.isOutcomeUnknown) {
        void queries.invalidateQueries({ queryKey: ['flash-sales'] });
      } else {
        renew();
      }
    },
  });
  const unknown = isProblem(take.error) && take.error.isOutcomeUnknown;
  const body =
    action === 'open'
      ? t('openBody', { quantity: sale.quantity, sku: sale.sku, from: dateTime(sale.startsTime), until: dateTime(sale.endsTime) })
      : t(`${action}Body`);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    take.mutate();
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} title={t(`${action}Title`, { name: sale.name })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text>{body}</Text>
          {unknown && <Banner tone="warn" title={t('unknown')} />}
          {take.error !== null && !unknown && <ProblemBanner error={take.error} />}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('back')}</Button>
            <Button type="submit" variant="filled" color={action === 'close' ? 'bad' : 'accent'} loading={take.isPending} data-autofocus>
              {t(unknown ? 'askAgain' : `${action}Confirm`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
