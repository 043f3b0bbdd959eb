import { NumberInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { Facts, FormDialog, usePlaceText, useKeyedForm, useToasts } from '@/ui';
import { resized } from './balance';
import { saleMessages } from './messages';
import { oneSale, resizeSale, type Sale, type SaleStats } from './queries';

interface Props {
  sale: Sale;
  /** The newest numbers; undefined for a draft. */
  stats: SaleStats | undefined;
  onClose: () => void;
}

interface Form {
  delta: number;
  /** The version that was looked at guards the write. */
  etag?: string;
}

/** Adds units to a sale or takes some away, and shows before what comes of it. */
export function ResizeSale({ sale, stats, onClose }: Props) {
  const t = useText(saleMessages);
  const { number } = useFormat();
  const queries = useQueryClient();
  const toasts = useToasts();
  const { id, name, etag, quantity, status } = sale;
  const keyed = useKeyedForm<Form, Sale>({
    scope: `flash-sales/${id}/quantity`,
    title: t('resizeTitle', { name }),
    topics: ['flash-sales'],
    open: () => ({ delta: 0 }),
    seal: ({ delta }) => ({ delta, etag }),
    isComplete: (typed) => resized(quantity, stats, typed.delta).fault === undefined,
    send: (typed, key) => resizeSale(id, typed.delta, typed.etag ?? '', key),
    onDone: (now) => {
      queries.setQueryData(oneSale(id).queryKey, now);
      toasts.done(t('resized', { n: now.quantity }));
      onClose();
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  const { delta } = form;
  const refused = usePlaceText(error);
  // Once sent, the numbers that are shown may have it in them already.
  const after = isFixed ? undefined : resized(quantity, stats, delta);
  const fault = (strict || delta !== 0) && after?.fault;
  const step = (before: number, next: number) => (
    <span className="tabular">
      {number(before)} <span aria-hidden="true">→</span> <strong>{number(next)}</strong>
    </span>
  );
  return (
    <FormDialog
      form={keyed}
      title={t('resizeTitle', { name })}
      size="md"
      confirm={t('resizeConfirm')}
      told={(pointer) => pointer === '/quantityDelta'}
      onClose={onClose}
    >
      <Text c="dimmed">{t('resizeHint')}</Text>
      <NumberInput
        label={t('delta')}
        disabled={isFixed}
        hideControls
        allowDecimal={false}
        thousandSeparator=","
        value={delta === 0 ? '' : delta}
        error={fault !== undefined && fault !== false ? t(fault) : refused('/quantityDelta')}
        onChange={(typed) => change({ delta: Number.isSafeInteger(Number(typed)) ? Number(typed) : 0 })}
        data-autofocus
      />
      {after !== undefined && (
        <Facts
          facts={[[t('quantityNow'), step(quantity, after.quantity)], stats !== undefined && [t('remainingNow'), step(stats.remaining, after.remaining ?? 0)]]}
        />
      )}
      {status !== 'draft' && after !== undefined && after.fault === undefined && (
        <Text>{delta > 0 ? t('resizeMore', { n: delta }) : t('resizeLess', { n: -delta })}</Text>
      )}
    </FormDialog>
  );
}
