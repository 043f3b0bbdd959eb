import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, ProblemBanner, useToasts } from '@/ui';
import { resized } from './balance';
import styles from './Cockpit.module.css';
import { saleMessages } from './messages';
import { oneSale, resizeSale, type Sale, type SaleStats } from './queries';

interface Props {
  /** As it was when the dialog opened: its version guards the write. */
  sale: Sale;
  /** The newest numbers; undefined for a draft. */
  stats: SaleStats | undefined;
  onClose: () => void;
}

/** Adds units to a sale or takes some away, and shows before what comes of it. */
export function ResizeSale({ sale, stats, onClose }: Props) {
  const t = useText(saleMessages);
  const queries = useQueryClient();
  const toasts = useToasts();
  const { key, renew } = useIdempotencyKey(`flash-sales/${sale.id}/v${sale.version}/quantity`);
  const [delta, setDelta] = useState(0);
  const [strict, setStrict] = useState(false);
  const after = resized(sale.quantity, stats, delta);
  const resize = useMutation({
    mutationFn: () => resizeSale(sale.id, delta, sale.etag, key),
    onSuccess: ({ data: now }) => {
      renew();
      queries.setQueryData(oneSale(sale.id).queryKey, now);
      void queries.invalidateQueries({ queryKey: ['flash-sales'] });
      toasts.done(t('resized', { n: now.quantity }));
      onClose();
    },
    onError: (error) => {
      if (!isProblem(error) || !error.isOutcomeUnknown) renew();
    },
  });
  const unknown = isProblem(resize.error) && resize.error.isOutcomeUnknown;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (after.fault === undefined) resize.mutate();
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} title={t('resizeTitle', { name: sale.name })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text c="dimmed">{t('resizeHint')}</Text>
          {unknown && <Banner tone="warn" title={t('unknown')} />}
          {resize.error !== null && !unknown && <ProblemBanner error={resize.error} />}
          <NumberInput
            label={t('delta')}
            readOnly={unknown}
            hideControls
            allowDecimal={false}
            thousandSeparator=","
            value={delta === 0 ? '' : delta}
            error={(strict || delta !== 0) && after.fault !== undefined && t(after.fault)}
            onChange={(typed) => setDelta(Number.isSafeInteger(Number(typed)) ? Number(typed) : 0)}
            data-autofocus
          />
          <dl className={styles.preview}>
            <Line label={t('quantityNow')} before={sale.quantity} after={after.quantity} />
            {stats !== undefined && <Line label={t('remainingNow')} before={stats.remaining} after={after.remaining ?? 0} />}
          </dl>
          {sale.status !== 'draft' && after.fault === undefined && <Text>{delta > 0 ? t('resizeMore', { n: delta }) : t('resizeLess', { n: -delta })}</Text>}
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('back')}</Button>
            <Button type="submit" variant="filled" loading={resize.isPending}>
              {t(unknown ? 'askAgain' : 'resizeConfirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Line({ label, before, after }: { label: string; before: number; after: number }) {
  const { number } = useFormat();
  return (
    <>
      <dt>{label}</dt>
      <dd className="tabular">
        {number(before)} <span aria-hidden="true">→</span> <strong>{number(after)}</strong>
      </dd>
    </>
  );
}
